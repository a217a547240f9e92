import { render } from "preact";
import { App } from "./app";
import { Collection } from "./data/collection";
import type { CutData } from "./data/cuts";
import { block } from "./data/load";
import type { Data } from "./data/types";
import { CutApp } from "./views/cuts";
import { EvalApp, type EvalData } from "./views/eval";
import { LinkApp, type LinkData } from "./views/link";
import { languages, preferred } from "./words";
import "./style.css";

// In a frame of a notebook, an address such as #/groups would be one of the notebook. So views are opened here.
addEventListener("click", (event) => {
  const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  location.hash = link.getAttribute("href")!;
});

const root = document.getElementById("app")!;

block<Data | EvalData | LinkData | CutData>("report").then(
  (data) => {
    root.textContent = "";
    render(
      data.command === "eval" ? (
        <EvalApp data={data} />
      ) : data.command === "link" ? (
        <LinkApp data={data} />
      ) : data.command === "cut" ? (
        <CutApp data={data} />
      ) : (
        <App collection={new Collection(data)} />
      ),
      root,
    );
  },
  (error: Error) => {
    root.textContent = `${languages[preferred()].broken}: ${error.message}`;
    root.setAttribute("role", "alert");
  },
);
