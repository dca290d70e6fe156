import { describe, expect, test } from "vitest";
import { library } from "./searching";

/** Texts with one word each in two forms, and the terms that find both. */
const FORMS: readonly (readonly [texts: readonly [string, string], terms: readonly string[]])[] = [
  [
    ["تم فحص الجسر قبل الشتاء وكان في حالة جيدة", "تم فحص جسر قبل الشتاء وكان في حالة جيدة"],
    ["الجسر ", "جسر ", "بالجسر ", "والجسر ", "الجس"],
  ],
  [
    ["هذا تقرير عن مدرسة في المدينة", "هذا تقرير عن مدرسه في المدينه"],
    ["مدرسة ", "مدرسه ", "المدرسة ", '"مدرسة في"'],
  ],
  [
    ["تم إصلاح المضخة في مبنى قديم", "تم اصلاح المضخة في مبني قديم"],
    ["إصلاح ", "اصلاح ", "الإصلاح ", "مبنى ", "مبني "],
  ],
  [
    ["این کتاب در گزارش است", "اين كتاب در گزارش است"],
    ["کتاب ", "كتاب ", "كتاب‌ها ", "کتابها "],
  ],
  [
    ["گزارش‌ها برای بازرسان است", "گزارشها برای بازرسان است"],
    ["گزارش ", "گزارش‌ها ", "گزارشها ", "گزارش‌های "],
  ],
  [
    ['הדוח של צה"ל לא היה שם', "הדוח של צה״ל לא היה שם"],
    ['צה"ל ', "צה״ל ", "צהל ", "צה’ל "],
  ],
  [
    ["הגשר של העיר לא היה סגור", "גשר של העיר לא היה סגור"],
    ["גשר ", "הגשר ", "והגשר ", "גשרים ", "הגש"],
  ],
  [
    ["Η γέφυρα και ο σταθμός", "Η ΓΕΦΥΡΑ ΚΑΙ Ο ΣΤΑΘΜΟΣ"],
    ["γέφυρες ", "ΓΕΦΥΡΑ ", "σταθμος ", "ΣΤΑΘΜΌΣ "],
  ],
  [
    ["Inspecţia şi raportul sunt pentru clădire", "Inspecția și raportul sunt pentru cladire"],
    ["inspecții ", "inspecţii ", "inspectia ", "clădiri".slice(0, 6)],
  ],
  [
    ["Отчёт и проверка моста не были готовы", "Отчет и проверка моста не были готовы"],
    ["отчёты ", "отчет ", "мост ", "мосты "],
  ],
  [
    ["İstanbul köprüsü için bir rapor olarak", "Istanbul koprusu icin bir rapor olarak"],
    ["istanbul ", "İSTANBUL ", "Istanbul "],
  ],
];

describe("letters and articles", () => {
  test.each(FORMS)("%s are found by each form", async (texts, terms) => {
    const find = await library([...texts, "Something else in English."]);
    for (const term of terms) expect(await find(term), term).toEqual([0, 1]);
  });

  test("a soft hyphen and joiners divide no word", async () => {
    const find = await library(["Die Brü\u00adcken\u00adprüfung wurde nicht gemacht.", "क्\u200dष और क्ष में"]);
    expect(await find("Brückenprüfung ")).toEqual([0]);
    expect(await find("क्ष ")).toEqual([1]);
  });
});
