// The entries of a list in which a location is chosen: a value and a text.

export type LocationEntry = readonly [value: string, text: string];

export const ALL_LOCATIONS: LocationEntry = ["-1", "all locations"];

/** The entries for all locations. */
export function locationEntries(locations: readonly (readonly [number, string])[]): LocationEntry[] {
  return [ALL_LOCATIONS, ...locations.map(([id, name]) => [String(id), name] as const)];
}

/** The entries with one for a location, which is added only if there is none yet. */
export function withLocation(entries: readonly LocationEntry[], location: number, locations: readonly (readonly [number, string])[]): readonly LocationEntry[] {
  const value = String(location);
  if (entries.some(([known]) => known === value)) return entries;
  const name = locations.find(([id]) => id === location)?.[1] ?? `location ${location}`;
  return [...entries, [value, name]];
}
