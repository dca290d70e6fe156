import type { Language } from "../../src/search/text";

/** A short report in each language, and other forms of its words whose search must find it. */
export const REPORTS: Readonly<Record<Language, { text: string; asked: readonly string[] }>> = {
  english: {
    text: "The inspectors reported several cracks in the bridges that were not there before the winter.",
    asked: ["inspector", "reporting", "crack", "bridge", "winters"],
  },
  german: {
    text: "Die Prüfer haben mehrere Risse in den Pfeilern der Brücken gemeldet, die vor dem Winter nicht da waren.",
    asked: ["Prüfern", "Riss", "Pfeiler", "Brücke", "Bruecke", "Winters"],
  },
  french: {
    text: "Les inspecteurs ont signalé des fissures dans les poutres réparées, qui n'étaient pas là avant l'hiver.",
    asked: ["inspecteur", "signaler", "fissure", "poutre", "réparer", "réparé"],
  },
  spanish: {
    text: "Los inspectores comunicaron varias grietas en los puentes reparados, que no estaban antes de las inspecciones.",
    asked: ["inspector", "grieta", "puente", "reparar", "reparado", "inspección"],
  },
  italian: {
    text: "Gli ispettori hanno segnalato alcune crepe nei ponti che non erano presenti prima delle riparazioni.",
    asked: ["ispettore", "segnalare", "crepa", "ponte", "presente", "riparazione"],
  },
  dutch: {
    text: "De inspecteurs hebben scheuren in de pijlers gemeld die er voor de inspecties niet waren.",
    asked: ["inspecteur", "scheur", "pijler", "inspectie"],
  },
  swedish: {
    text: "Inspektörerna har rapporterat flera sprickor i broarna som inte fanns där före besiktningen.",
    asked: ["inspektör", "rapportera", "spricka", "sprickorna", "besiktningar"],
  },
  norwegian: {
    text: "Inspektørene har meldt om flere sprekker i bjelkene som ikke var der før kontrollene.",
    asked: ["inspektør", "sprekk", "sprekkene", "bjelke", "kontroll"],
  },
  danish: {
    text: "Inspektørerne har meldt om flere revner i bjælkerne, som ikke var der før kontrollerne af broen.",
    asked: ["inspektør", "revne", "revnerne", "bjælke", "kontroller"],
  },
  finnish: {
    text: "Tarkastajat ilmoittivat useista halkeamista palkeissa, joita ei ollut ennen talvea.",
    asked: ["tarkastaja", "tarkastajan", "halkeama", "halkeamat", "talvi", "talven"],
  },
  portuguese: {
    text: "Os inspetores comunicaram várias fissuras nos pilares das pontes reparadas, que não estavam lá antes das inspeções.",
    asked: ["inspetor", "fissura", "pilar", "ponte", "reparado", "inspeção", "inspecao"],
  },
  romanian: {
    text: "Inspectorii au raportat fisurile din pereţii clădirii, care nu erau acolo înainte de inspecţii.",
    asked: ["fisură", "fisuri", "perete", "pereții", "clădire", "inspecție", "inspectiile"],
  },
  hungarian: {
    text: "Az ellenőrök repedéseket jelentettek a házakban és a falakon, amelyek a tél előtt még nem voltak ott.",
    asked: ["repedés", "repedesek", "ház", "fal"],
  },
  turkish: {
    text: "Denetçiler köprülerin ayaklarında çatlaklar olduğunu ve bunların kıştan önce orada olmadığını raporlarında bildirdi.",
    asked: ["köprü", "kopru", "çatlak", "catlaklar", "rapor"],
  },
  greek: {
    text: "Οι επιθεωρητές βρήκαν ρωγμές στις γέφυρες και στις κολόνες, που δεν ήταν εκεί πριν από τις επισκευές.",
    asked: ["ρωγμή", "ρωγμη", "γέφυρα", "ΓΕΦΥΡΕΣ", "επισκευή"],
  },
  russian: {
    text: "Инспекторы сообщили о трещинах в опорах мостов, которых не было до зимних проверок и отчётов.",
    asked: ["трещина", "опора", "мост", "проверка", "отчет", "отчёты"],
  },
  arabic: {
    text: "أبلغ المهندسون عن شقوق في الجسر وفي المدرسة لم تكن هناك قبل الإصلاح والتقرير.",
    asked: ["مهندس", "جسر", "مدرسه", "اصلاح", "تقرير", "التقرير"],
  },
  hebrew: {
    text: 'המהנדסים דיווחו על סדקים בעמודים של הגשר, והדוח של צה"ל לא היה שם לפני החורף.',
    asked: ["גשר", "הגשרים", "סדק", "דוחות", "צה״ל", "צהל"],
  },
  persian: {
    text: "بازرسان در گزارش‌های خود از ترک‌های پل و کتابخانه خبر دادند که قبل از زمستان نبود.",
    asked: ["گزارش", "گزارشها", "گزارش ها", "ترک", "پل‌ها", "كتابخانه"],
  },
};
