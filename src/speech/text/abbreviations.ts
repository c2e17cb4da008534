/**
 * Words whose full stop does not end a sentence. English first, then the commonest of German, French, Spanish, Italian,
 * Portuguese and Dutch. All in lower case and without the stop.
 */

const words = (list: string) => new Set(list.split(' '))

/** Always followed by their noun: `Dr. Smith`. */
export const leadingAbbreviations = words(
  'dr mr mrs ms mx prof rev hon gen col maj capt cmdr lt sgt cpl gov sen rep pres supt st mt ft msgr fr sr sra srta dra' +
    ' mm mme mlle mgr hr frl dipl ing univ vs v cf viz approx ca est incl resp dept assn ave blvd rd' +
    ' bzw bspw evtl ggf inkl zzgl vgl geb gest sog dott sig mevr dhr drs att pág tel eq núm vol vols ch pp ed eds bd abb kap',
)

/** Abbreviations only before a number: `No. 5`. Elsewhere they are words, or end the sentence. */
export const countingAbbreviations = words('no nos nr num art cap ch p pp fig op est me m s d z u v ed sec ext b')

/** End a sentence when a capital follows. */
export const trailingAbbreviations = words(
  'etc inc ltd co corp jr sr esq bros llc plc am pm a.m p.m ph.d m.d b.a m.a b.sc m.sc u.s u.k u.s.a u.n e.u d.c l.a' +
    ' n.y b.c a.d b.c.e c.e usw al ibid gmbh str cia s.a ee.uu uds vds ud vd jan feb mar apr jun jul aug sep sept oct nov' +
    ' dec mon tue tues wed thu thurs fri sat sun min max hrs hr sec oz lb lbs',
)

/** Abbreviations with inner dots that never end a sentence: `e.g. this`. */
export const innerAbbreviations = words(
  'e.g i.e z.b d.h u.a o.ä v.a s.o s.u i.d.r m.e z.t u.u n.chr v.chr p.ex c.-à-d p.ej a.c d.c q.e.d f.eks d.v.s n.b r.i.p',
)

/**
 * Words that begin a new sentence after `U.S.` or `vitamin C.`. Any other capitalized word there continues the name.
 */
export const sentenceStarters = words(
  'the a an it its he she they we i you this that these those there here in on at as but and so or if when while after' +
    ' before however then what who why how where my our your his her their not no yes is are was were do does did can let',
)

/** German writes days as ordinals with a stop: `3. Oktober`. */
export const germanMonths = words('januar februar märz april mai juni juli august september oktober november dezember')
