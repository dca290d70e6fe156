import "./reports.css";

export { ReportsTab as default } from "./page.tsx";
