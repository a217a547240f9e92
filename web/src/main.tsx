import { render } from "preact";
import { App } from "./app";
import { Collection } from "./data/collection";
import { block } from "./data/load";
import type { Data } from "./data/types";
import { languages, preferred } from "./words";
import "./style.css";

const root = document.getElementById("app")!;

block<Data>("report").then(
  (data) => {
    root.textContent = "";
    render(<App collection={new Collection(data)} />, root);
  },
  (error: Error) => {
    root.textContent = `${languages[preferred()].broken}: ${error.message}`;
    root.setAttribute("role", "alert");
  },
);
