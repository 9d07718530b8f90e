// Screenshots for people to look at, in screenshots/. Only with SHOTS=1.

import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { launch, openPage, REAL } from "./browser.ts";

const SIZES = [[1280, 720], [1920, 1080], [390, 844]] as const;
const DOCUMENTS = [["profile", "damaged"], ["comparison"], ["trace"], ["bench"], []];

test("screenshots", { skip: !process.env["SHOTS"] }, async () => {
  mkdirSync("screenshots", { recursive: true });
  const browser = await launch();
  for (const documents of DOCUMENTS) {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, height] of SIZES) {
        if (process.env["SHOTS"] !== "1" && !`${documents[0]} ${colorScheme} ${width}`.includes(process.env["SHOTS"]!)) continue;
        const { page, errors, close } = await openPage(browser, documents, { viewport: { width, height }, colorScheme });
        await page.waitForTimeout(900);
        await page.screenshot({ path: `screenshots/${documents[0] ?? "home"}-${colorScheme}-${width}.png`, fullPage: width === 390 });
        for (const error of errors) console.error(documents[0], error);
        await close();
      }
    }
  }
  await browser.close();
});

/** The pictures of the README, from a real server: `LOTSE_URL=… README_SHOTS=page npm run test:server`
 * writes docs/page-light.png and docs/page-dark.png. */
test("pictures of the README", { skip: !REAL || !process.env["README_SHOTS"] }, async () => {
  const browser = await launch();
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, close } = await openPage(browser, [], { viewport: { width: 1280, height: 720 }, colorScheme });
    await page.getByText("find", { exact: true }).first().click();
    await page.waitForTimeout(1500);
    await page.screenshot({ path: `../docs/${process.env["README_SHOTS"]}-${colorScheme}.png` });
    await close();
  }
  await browser.close();
});
