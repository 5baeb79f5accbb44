// SPDX-License-Identifier: GPL-3.0-or-later
// Open pages in headless Chromium, light and dark, wide and narrow: axe finds
// nothing, nothing scrolls sideways, nothing is fetched from elsewhere, sorting
// and filtering work. Prints TAP lines without numbers; pages.sh's sibling
// pages-browser.sh numbers them. Arguments: folder, then pages below it.
"use strict";
const fs = require("fs");
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [root, ...pages] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic",
	"--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

function say(bad, what) {
	console.log((bad.length ? "not ok - " : "ok - ") + what);
	for (const line of bad.slice(0, 10))
		console.log("# " + line);
}

async function look(page, path, scheme, width) {
	const bad = [];
	const foreign = [];
	page.on("request", (r) => {
		if (!r.url().startsWith("file://" + root))
			foreign.push("fetches " + r.url());
	});
	page.on("console", (m) => bad.push("console: " + m.text()));
	page.on("pageerror", (e) => bad.push("error: " + e.message));
	await page.goto("file://" + root + "/" + path);
	const wide = await page.evaluate(
		() => document.documentElement.scrollWidth);
	if (wide > width)
		bad.push("page is " + wide + " px wide");
	await page.evaluate(axe + ";0");
	const found = await page.evaluate(() => axe.run(document, {
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
			"best-practice"],
		resultTypes: ["violations"],
		// axe's own fetch of style sheets is what the policy forbids
		preload: false,
	}));
	for (const v of found.violations)
		bad.push(v.id + ": " + v.help + " in " +
			v.nodes[0].html.slice(0, 120));
	say(bad.concat(foreign), `${path} ${scheme} ${width} px`);
}

async function sortAndFilter(page, path) {
	const bad = [];
	await page.goto("file://" + root + "/" + path);
	const table = page.locator("table", { hasText: "Base" }).last();
	const button = table.locator("thead button").nth(2);
	await button.click();
	const down = await table.evaluate((t) => Array.from(t.tBodies[0].rows)
		.filter((r) => r.cells[2] && r.cells[2].dataset.v !== undefined)
		.map((r) => Number(r.cells[2].dataset.v)));
	if (!down.every((v, i) => !i || down[i - 1] >= v))
		bad.push("not sorted downward: " + down.slice(0, 8));
	if (await table.locator("th[aria-sort=descending]").count() !== 1)
		bad.push("aria-sort is not said");
	await page.locator("input[type=search]").first().fill("perf-profile");
	const shown = await page.locator("tbody tr:visible th.key")
		.allTextContents();
	if (!shown.length)
		bad.push("the filter shows nothing");
	say(bad, "sorting and filtering work");
}

(async () => {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM, args: flags });
	for (const scheme of ["light", "dark"]) {
		for (const width of [1280, 375]) {
			const context = await browser.newContext({
				colorScheme: scheme,
				viewport: { width, height: 900 } });
			for (const path of pages) {
				const page = await context.newPage();
				await look(page, path, scheme, width);
				await page.close();
			}
			await context.close();
		}
	}
	await sortAndFilter(await browser.newPage(), pages[1]);
	await browser.close();
})();
