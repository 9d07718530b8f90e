// Server-sent events read from a fetch body, because EventSource cannot send the token header.

export interface ServerEvent {
  name: string;
  data: string;
}

/** Yields the events of a text/event-stream body until it ends. Comment lines (keep-alives) and
 * fields that we do not use are skipped; an event that the end cuts off is dropped. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event: ServerEvent = { name: "message", data: "" };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const text = line.endsWith("\r") ? line.slice(0, -1) : line;
        if (text === "") {
          if (event.data !== "") yield event;
          event = { name: "message", data: "" };
        } else {
          addField(event, text);
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function addField(event: ServerEvent, line: string): void {
  const colon = line.indexOf(":");
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "event") event.name = value;
  else if (field === "data") event.data = event.data === "" ? value : `${event.data}\n${value}`;
}
