/** What the dictionary of readings lacks or has otherwise: words, words with a neutral tone, and where 儿 is a syllable. */

/** Of characters on their own; pinyin with tone marks. */
export const characters: Readonly<Record<string, string>> = { 嗯: 'èn' }

/** Pinyin with tone marks, as the dictionary writes it. */
export const readings: Readonly<Record<string, string>> = {
  你好: 'nǐ hǎo',
  您好: 'nín hǎo',
  长得: 'zhǎng de',
  还了: 'huán le',
  还书: 'huán shū',
  还钱: 'huán qián',
  还债: 'huán zhài',
  还给: 'huán gěi',
  还款: 'huán kuǎn',
  还清: 'huán qīng',
  归还: 'guī huán',
  市长江: 'shì cháng jiāng',
  种在: 'zhòng zài',
  种树: 'zhòng shù',
  种花: 'zhòng huā',
  种菜: 'zhòng cài',
  种了: 'zhòng le',
  数一数: 'shǔ yi shǔ',
  数了: 'shǔ le',
  数到: 'shǔ dào',
  数不清: 'shǔ bu qīng',
  盛饭: 'chéng fàn',
  盛汤: 'chéng tāng',
  背着: 'bēi zhe',
  背起: 'bēi qǐ',
  切菜: 'qiē cài',
  切肉: 'qiē ròu',
  切成: 'qiē chéng',
  切开: 'qiē kāi',
  单于: 'chán yú',
  姓单: 'xìng shàn',
  姓曾: 'xìng zēng',
  姓任: 'xìng rén',
  姓解: 'xìng xiè',
  姓仇: 'xìng qiú',
  姓朴: 'xìng piáo',
  姓盖: 'xìng gě',
  姓华: 'xìng huà',
  台州: 'tāi zhōu',
  番禺: 'pān yú',
  六安: 'lù ān',
  东西南北: 'dōng xī nán běi',
  长江大桥: 'cháng jiāng dà qiáo',
  的士: 'dī shì',
  打的: 'dǎ dī',
  重启: 'chóng qǐ',
  重做: 'chóng zuò',
  重试: 'chóng shì',
  重写: 'chóng xiě',
  重播: 'chóng bō',
  转账: 'zhuǎn zhàng',
  没收: 'mò shōu',
  行驶: 'xíng shǐ',
  分行: 'fēn háng',
  支行: 'zhī háng',
  央行: 'yāng háng',
  总行: 'zǒng háng',
  两行: 'liǎng háng',
  几行: 'jǐ háng',
  每行: 'měi háng',
  这行: 'zhè háng',
  同行们: 'tóng háng men',
  和气: 'hé qi',
  豆角: 'dòu jiao',
}

/** Words whose last syllable is neutral, of those for which the dictionary has a tone there. */
export const neutralEndings =
  '东西 清楚 学生 告诉 力量 提防 难处 多少 名气 运气 上头 棉花 打听 打扮 打点 打发 吩咐 嘱咐 照应 厉害 活泼 ' +
  '自在 妥当 太阳 字号 名字 说法 本事 差事 和尚 连累 算计 特务 铁匠 吐沫 晚上 早上 造化 主意 出来 下来 回来 回去 过来 起来'

/** Before 儿, where it means a child: 女儿, 婴儿. */
export const notRhotic = '女婴幼孤男患孙侄妻少健宠胎弃生血聋哑育产托乞脑拐瞒替救护虐小'
