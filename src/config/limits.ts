/** Every limit that no flag moves: of sizes, counts and times. `config.ts` hands them on. */

/**
 * What an operation may take in all, from the head of its request to its answer: body, download, queue, worker and all
 * else lie inside. An answer that lasts (audio, CSV) is not limited in all; see `idleConnectionSeconds`.
 */
export const operationTimeoutsMs = {
  /** 2,000 characters take seconds; the rest is for waiting in the queue. HTTP clients and proxies give up about then. */
  tts: 60_000,
  /**
   * 15 MiB at 0.7 megabits per second take three minutes; the voice and its demo then have one more. Bun keeps no
   * connection for longer than 255 s without an answer.
   */
  clone: 240_000,
  /** An installed recording is analyzed and made into a voice again, by the workers only. */
  reEnrol: 120_000,
  /** The first request for a demo renders it. */
  demo: 60_000,
  /** Everything else: a short JSON body, then a look into the database. */
  other: 30_000,
} as const
export type Operation = keyof typeof operationTimeoutsMs

/** Limits that no flag moves. */
export const limits = {
  textCharactersMax: 2000,
  /** Of `sonant say`, in UTF-8; some 1,000 hours. */
  sayTextBytesMax: 64 << 20,
  /** Of `sonant say`: somebody is watching. As long as a timer can be. */
  sayTimeoutMs: 0x7fff_ffff,
  /** An mp3 or wav counts its bytes in 32 bits; the rest is for what is under way. */
  sayAudioBytesMax: 0xffff_ffff - (64 << 20),
  speedMin: 0.5,
  speedMax: 2,
  requestBodyBytesMax: 1 << 20,
  /** Objects and arrays of a JSON body in each other. */
  requestBodyDepthMax: 32,
  /** A JSON body, inside the deadline of its operation. */
  requestBodyTimeoutMs: 20_000,
  /** Units held for a request; twice as long as any operation may take. */
  holdTimeoutMs: 2 * Math.max(...Object.values(operationTimeoutsMs)),
  /** What a request waits for another process to end its writing. */
  databaseBusyMs: 5_000,
  /** How often expired holds are looked for, and the last uses of keys written down. */
  upkeepIntervalMs: 60_000,
  /** After a start on a full disk: how often to see whether there is room for what it had to write. */
  fullDiskPollMs: 5_000,
  /** Keys and addresses whose calls are counted. */
  limitedSubjectsMax: 100_000,
  /** Addresses by which clients came, and what was written for each. */
  clientAddressesMax: 16,
  /** Callers and balances that are kept in memory until the database changes. */
  rememberedMax: 10_000,
  /** From one address; more are told to wait, while right ones from there still pass. */
  wrongKeysPerMinute: 100,
  /** Of activation, by one key and from one address. */
  wrongCodesPerMinute: 10,
  /** Deletions of clones, by one key, unless `--limit-account` allows fewer or any number. */
  cloneDeletionsPerMinute: 30,
  referenceSecondsMax: 15,
  /** An upload in which nothing arrives for so long is broken off. */
  uploadIdleMs: 20_000,
  /** An upload, inside the deadline of its operation, so that time for the work is left. */
  uploadTimeoutMs: 180_000,
  /** One utterance, one chunk to encode. */
  taskTimeoutMs: 20_000,
  modelLoadTimeoutMs: 120_000,
  /** A folder with a model is left alone until nothing has happened to its files for so long. */
  packSettleMs: 2_000,
  /** How often the folders are looked at where the system does not tell that something happened. */
  packPollMs: 5_000,
  /** A pack that takes longer to try lets the next one be tried beside it. */
  packPatienceMs: 10_000,
  /** So many small packs can be tried at once, even where models may have little memory. */
  packProbesMin: 4,
  workerMemoryMaxBytes: 768 << 20,
  /** Requests that wait or run at once; more are told to come back. */
  queuedRequestsMax: 512,
  /** What running requests get to finish after SIGTERM. */
  shutdownGraceMs: 30_000,
  /** The recording that a voice is cloned from. */
  referenceBytesMax: 15 << 20,
  urlCharactersMax: 4096,
  /**
   * A connection without traffic, and an answer that its client does not read. Counted from the head of a request, so
   * that longer operations ask for more.
   */
  idleConnectionSeconds: 120,
  /** After a body was refused, its rest is dropped for so long before the connection is closed. */
  refusedBodySeconds: 30,
  /** What one request may send: pieces as they come from the connection, however small, and bytes. */
  bodyEventsPerSecondMax: 2_000,
  bodyBytesPerSecondMax: 32 << 20,
} as const

/** Downloads from addresses that customers name. Each runs in a process of its own. */
export const downloadLimits = {
  /** Inside the deadline of its operation: the wait for a turn, looking up, connecting, every redirect, and the file. */
  timeoutMs: 30_000,
  redirectsMax: 5,
  /** Of one host. All of them are checked, on the event loop. */
  addressesMax: 64,
  runningMax: 8,
  /** More are told to come back. */
  waitingMax: 64,
  /** What one process may take beyond its start. */
  memoryGrowthMaxBytes: 64 << 20,
  /** A server that sends nothing for so long is given up, in the head as in the body. */
  idleMs: 15_000,
  headBytesMax: 16 << 10,
  /** Answers before the answer, such as `100 Continue`. */
  informationalMax: 8,
  /** Pieces of a body: 15 MiB in pieces of 120 bytes. */
  chunksMax: 1 << 17,
  /** Average of a body, once it has taken `slowStartMs`. */
  bytesPerSecondMin: 1024,
  slowStartMs: 5_000,
} as const
