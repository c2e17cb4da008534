/** Texts for probing a new voice: one everyday sentence per language, already normalized (no digits). */
import { baseLanguage } from '../language'

const english = 'The train to the sea was late again, so we sat in the sun and talked about the summer.'

/** By primary language. Voices of other languages speak the English one. */
const texts: Readonly<Record<string, string>> = {
  ar: 'تأخر القطار مرة أخرى، فجلسنا في الشمس وتحدثنا عن الصيف.',
  bg: 'Влакът към морето пак закъсня, затова седяхме на слънце и говорихме за лятото.',
  ca: 'El tren del mar tornava a fer tard, així que vam seure al sol i vam parlar de l’estiu.',
  cs: 'Vlak k moři měl zase zpoždění, a tak jsme seděli na slunci a mluvili o létě.',
  da: 'Toget til havet var forsinket igen, så vi sad i solen og talte om sommeren.',
  de: 'Der Zug ans Meer kam wieder zu spät, also saßen wir in der Sonne und sprachen über den Sommer.',
  el: 'Το τρένο για τη θάλασσα άργησε πάλι, και έτσι καθίσαμε στον ήλιο και μιλήσαμε για το καλοκαίρι.',
  en: english,
  es: 'El tren a la costa llegó tarde otra vez, así que nos sentamos al sol y hablamos del verano.',
  fa: 'قطار باز هم دیر کرد، پس در آفتاب نشستیم و از تابستان حرف زدیم.',
  fi: 'Juna merelle oli taas myöhässä, joten istuimme auringossa ja puhuimme kesästä.',
  fr: 'Le train pour la mer était encore en retard, alors nous avons parlé de l’été au soleil.',
  he: 'הרכבת לים איחרה שוב, אז ישבנו בשמש ודיברנו על הקיץ.',
  hi: 'समुद्र जाने वाली रेलगाड़ी फिर देर से आई, इसलिए हम धूप में बैठकर गर्मियों की बातें करते रहे।',
  hu: 'A vonat megint késett, ezért a napon ültünk, és a nyárról beszélgettünk.',
  is: 'Lestin var aftur sein, svo við sátum í sólinni og töluðum um sumarið.',
  it: 'Il treno per il mare era di nuovo in ritardo, così ci siamo seduti al sole a parlare dell’estate.',
  ja: 'うみへ いく でんしゃは また おくれたので、ひなたに すわって なつの はなしを しました。',
  ka: 'მატარებელმა ისევ დაიგვიანა, ამიტომ მზეზე ვისხედით და ზაფხულზე ვსაუბრობდით.',
  kk: 'Пойыз тағы кешікті, сондықтан біз күнге отырып, жаз туралы сөйлестік.',
  ko: '바다로 가는 기차가 또 늦어서 우리는 햇볕에 앉아 여름 이야기를 했습니다.',
  nl: 'De trein naar zee was weer te laat, dus zaten we in de zon en praatten over de zomer.',
  no: 'Toget til havet var forsinket igjen, så vi satt i sola og snakket om sommeren.',
  pl: 'Pociąg nad morze znowu się spóźnił, więc siedzieliśmy na słońcu i rozmawialiśmy o lecie.',
  pt: 'O comboio para o mar estava outra vez atrasado, e por isso falámos do verão sentados ao sol.',
  ro: 'Trenul spre mare a întârziat din nou, așa că am stat la soare și am vorbit despre vară.',
  ru: 'Поезд к морю опять опоздал, и мы сидели на солнце и говорили о лете.',
  sk: 'Vlak k moru opäť meškal, a tak sme sedeli na slnku a hovorili o lete.',
  sl: 'Vlak do morja je spet zamujal, zato smo sedeli na soncu in govorili o poletju.',
  sr: 'Воз за море је опет каснио, па смо седели на сунцу и причали о лету.',
  sv: 'Tåget till havet var försenat igen, så vi satt i solen och pratade om sommaren.',
  sw: 'Treni ya baharini ilichelewa tena, kwa hiyo tulikaa juani na kuzungumza kuhusu likizo.',
  tr: 'Denize giden tren yine gecikti, biz de güneşte oturup yazdan konuştuk.',
  uk: 'Потяг до моря знову запізнився, тож ми сиділи на сонці й говорили про літо.',
  vi: 'Chuyến tàu ra biển lại đến muộn, nên chúng tôi ngồi dưới nắng và nói chuyện về mùa hè.',
  zh: '去海边的火车又晚点了，我们就坐在太阳底下聊夏天的事。',
}

/** `language`: BCP 47. */
export function probeText(language: string): string {
  const primary = baseLanguage(language)
  return texts[primary === 'cmn' || primary === 'yue' ? 'zh' : primary === 'nb' ? 'no' : primary] ?? english
}

/**
 * Whole words from the beginning of `text`, of at least this many characters if there are so many: its first word by
 * default. Where blanks do not separate words, at least two characters.
 */
export function beginningOf(text: string, charactersMin = 1): string {
  if (!text.includes(' ')) return text.slice(0, Math.max(2, Math.ceil(charactersMin)))
  const end = text.indexOf(' ', Math.ceil(charactersMin))
  return end < 0 ? text : text.slice(0, end)
}
