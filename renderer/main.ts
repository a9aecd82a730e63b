import { mount } from "svelte";
import { hostOf } from "./page-host.ts";
import { createApp } from "./state/app.svelte.ts";
import "./style/tokens.css";
import "./style/base.css";
import AppWindow from "./AppWindow.svelte";

const host = hostOf(window);
const app = createApp(host, window);

// Nothing ever opens inside the window: links lead out, and only over https.
document.addEventListener("click", (event) => {
	const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
	const address = link?.getAttribute("href") ?? "";
	if (link === null || address.startsWith("#")) return;
	event.preventDefault();
	if (address.startsWith("https://")) host.openExternal(address);
});

// A file dropped beside the places that take one would replace the page.
for (const kind of ["dragover", "drop"] as const)
	document.addEventListener(kind, (event) => event.preventDefault());

mount(AppWindow, { target: document.getElementById("app")!, props: { app } });
