/**
 * Step 8 of the schema: the order of the built-in voices. A directory that is in use keeps the order of version 7, so that
 * its default voice stays. A new directory gets the order of the program that fills it.
 */
import type { Database } from 'better-sqlite3'

/** The built-in voices of version 7, in the order of their list. */
const voicesOf7 = `
  en-ross en-clara en-angus en-kevin en-ruth en-ivy en-fergus en-walter zh-mei zh-jun de-greta de-karl fr-elodie
  fr-luc es-lucia es-diego it-giulia it-marco pt-br-ana pt-br-rafael ru-vera ru-ivan pl-zofia pl-jan nl-fleur
  nl-daan sv-astrid sv-erik tr-elif tr-emre ar-layla ar-karim hi-asha hi-ravi uk-oksana uk-taras cs-eliska
  cs-tomas es-mx-valeria pt-ines da-freja nb-ola fi-aino el-eleni vi-linh id-budi hu-reka ro-andrei fa-shirin
  ca-nuria bg-maria sk-peter sl-maja sr-milan lv-ilze is-katla cy-rhys eu-ane ka-nino kk-aigul ne-sita ml-meera
  te-sita sw-amani sq-elira lb-luc ko-jieun en-owen en-silas en-marcus en-jamie en-nora en-lily en-helen
  en-stella en-poppy zh-xue zh-tao
`

export function migrateTo8(db: Database): void {
  db.exec(`
    CREATE TABLE built_in_voices (
      position INTEGER PRIMARY KEY,
      voice_id TEXT NOT NULL UNIQUE
    ) STRICT`)
  if (db.prepare('SELECT 1 FROM accounts LIMIT 1').get() === undefined) return
  const insert = db.prepare('INSERT INTO built_in_voices (position, voice_id) VALUES (?, ?)')
  for (const [index, id] of voicesOf7.trim().split(/\s+/).entries()) insert.run(index + 1, id)
}
