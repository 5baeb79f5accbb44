// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting and filtering of tables. Every number is on the page without it.
"use strict";
(function () {
	const MIN_SORT = 4;
	const MIN_FILTER = 15;

	function number(cell) {
		if (cell.dataset.v !== undefined)
			return Number(cell.dataset.v);
		const text = cell.textContent.replace(/[,\s<>▲▼=]/g, "");
		return text === "" ? NaN : parseFloat(text);
	}

	function compare(index, numeric, sign) {
		return function (a, b) {
			const x = a.cells[index];
			const y = b.cells[index];
			if (!x || !y)
				return 0;
			if (!numeric)
				return sign * x.textContent.localeCompare(
					y.textContent, "en", { numeric: true });
			const p = number(x);
			const q = number(y);
			// what has no number stays at the end, either way
			if (isNaN(p) || isNaN(q))
				return isNaN(p) - isNaN(q);
			return sign * (p - q);
		};
	}

	function sort(table, th, index) {
		const down = th.getAttribute("aria-sort") === "descending";
		const numeric = th.classList.contains("n");
		const first = numeric ? "descending" : "ascending";
		let order = first;
		if (th.hasAttribute("aria-sort"))
			order = down ? "ascending" : "descending";
		for (const other of table.tHead.rows[0].cells)
			other.removeAttribute("aria-sort");
		th.setAttribute("aria-sort", order);
		const body = table.tBodies[0];
		const rows = Array.from(body.rows).filter(
			(row) => !row.classList.contains("group"));
		rows.sort(compare(index, numeric,
			order === "ascending" ? 1 : -1));
		// out of the page while its rows move: one layout, not a thousand
		table.removeChild(body);
		body.replaceChildren(...rows);
		table.appendChild(body);
	}

	function makeSortable(table) {
		const head = table.tHead;
		if (!head || table.tBodies[0].rows.length < MIN_SORT)
			return;
		Array.from(head.rows[0].cells).forEach((th, index) => {
			const button = document.createElement("button");
			if (!th.textContent)
				return;
			button.type = "button";
			button.textContent = th.textContent;
			button.addEventListener("click",
				() => sort(table, th, index));
			th.replaceChildren(button);
		});
	}

	function remember(key, text) {
		const url = new URL(location.href);
		if (text)
			url.searchParams.set(key, text);
		else
			url.searchParams.delete(key);
		try {
			history.replaceState(null, "", url);
		} catch (e) {
			// pages opened from a file can't change their address
		}
	}

	function makeFilter(table, nr) {
		const rows = Array.from(table.tBodies[0].rows);
		if (rows.length < MIN_FILTER || !table.querySelector("th.key, td.key"))
			return;
		const key = nr ? "q" + nr : "q";
		const texts = rows.map((row) => row.textContent.toLowerCase());
		const total = rows.filter(
			(row) => !row.classList.contains("group")).length;
		const tools = document.createElement("div");
		const label = document.createElement("label");
		const input = document.createElement("input");
		const count = document.createElement("output");
		tools.className = "tools";
		input.type = "search";
		label.append("Filter rows ", input);
		tools.append(label, count);
		table.closest(".scroll").before(tools);

		function apply() {
			const words = input.value.toLowerCase().split(/\s+/);
			let shown = 0;
			rows.forEach((row, i) => {
				const fits = words.every(
					(word) => texts[i].includes(word));
				row.hidden = !fits;
				if (fits && !row.classList.contains("group"))
					shown++;
			});
			count.textContent = "showing " +
				shown.toLocaleString("en") + " of " +
				total.toLocaleString("en");
		}
		function load() {
			input.value =
				new URL(location.href).searchParams.get(key) || "";
			apply();
		}
		input.addEventListener("input", () => {
			apply();
			remember(key, input.value);
		});
		window.addEventListener("popstate", load);
		load();
	}

	let nr = 0;
	for (const table of document.querySelectorAll(".scroll > table")) {
		makeSortable(table);
		makeFilter(table, nr++);
	}
})();
