import "./reports.css";

export { ReportsTab as default } from "./overview.tsx";
