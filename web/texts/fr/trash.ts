import type * as first from "../en/trash.ts";
import { some } from "./language.ts";

export const TRASH: typeof first.TRASH = {
  title: "Corbeille",
  lead: (name) =>
    `Documents, sites, groupes, rapports et modèles supprimés de ${name}. Ils sont retirés quand leur délai se termine.`,
  show: "Montrer",
  kinds: {
    all: "Tout",
    document: "Documents",
    location: "Sites",
    cluster: "Groupes",
    report: "Rapports",
    "report-template": "Modèles",
  },
  kind: { document: "Document", location: "Site", cluster: "Groupe", report: "Rapport", "report-template": "Modèle" },
  left: (days) => (days < 1 ? "moins d’un jour restant" : `encore ${some(days, "jour", "jours")}`),
  deleted: (time, by) => (by === null ? `supprimé ${time}` : `supprimé ${time} par ${by}`),
  restore: "Restaurer",
  restoreOne: (name) => `Restaurer ${name}`,
  restored: (name) => `« ${name} » est de retour.`,
  restoreFailed: "L’élément n’a pas été restauré",
  purge: (name) => `Supprimer ${name} définitivement`,
  purgeTitle: "Supprimer définitivement ?",
  purgeHelp: (name) => `« ${name} » et tout son contenu sont retirés maintenant. C’est définitif.`,
  purgeSend: "Supprimer définitivement",
  purgeFailed: "L’élément n’a pas été retiré",
  none: "La corbeille est vide",
  noneHelp: "Ce que vous supprimez reste ici quelques semaines, pour que vous puissiez le reprendre.",
  failed: "La corbeille n’a pas pu être lue",
  loading: "Lecture de la corbeille…",
};
