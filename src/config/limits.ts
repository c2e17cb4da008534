/** Every fixed limit on sizes, counts and times, without a flag. `config.ts` re-exports them. */

/**
 * Time limit of an operation, from the head of its request to its answer, including body, download, queue and worker.
 * An answer that takes long to send (audio, CSV) has no total limit; see `idleConnectionSeconds`.
 */
export const operationTimeoutsMs = {
  /**
   * 2,000 characters take seconds; the rest is for waiting in the queue. HTTP clients and proxies have similar
   * timeouts. A text that takes a slow voice longer gets more time, up to `--tts-seconds-max`.
   */
  tts: 60_000,
  /**
   * 15 MiB at 0.7 megabits per second take three minutes, which leaves one for the voice and its demo. Bun closes a
   * connection after 255 s without an answer.
   */
  clone: 240_000,
  /** Workers analyze the stored recording and enrol its voice again. */
  reEnrol: 120_000,
  /** The first request for a demo renders it. */
  demo: 60_000,
  /** A pack of a gigabyte at 0.3 MB per second. It ends much earlier when no data comes. */
  packUpload: 3_600_000,
  /** All other operations: a short JSON body and database access. */
  other: 30_000,
} as const
export type TimedOperation = keyof typeof operationTimeoutsMs

const dayMs = 86_400_000

/** Fixed limits, without a flag. */
export const limits = {
  textCharactersMax: 2000,
  /** Characters of the text on the OpenAI-style endpoint. */
  inputCharactersMax: 4096,
  pageItemsMax: 200,
  /** Without a requested number. */
  pageItems: 50,
  usageDaysMax: 366,
  /** For `sonant say`, in UTF-8; about 1,000 hours of speech. */
  sayTextBytesMax: 64 << 20,
  /** For `sonant say`, which a user can interrupt: the maximum of a timer. */
  sayTimeoutMs: 0x7fff_ffff,
  /** mp3 and wav count bytes in 32 bits; the rest is for data in progress. */
  sayAudioBytesMax: 0xffff_ffff - (64 << 20),
  speedMin: 0.5,
  speedMax: 2,
  requestBodyBytesMax: 1 << 20,
  /** Nesting depth of objects and arrays in a JSON body. */
  requestBodyDepthMax: 32,
  /** A JSON body, within the deadline of its operation. */
  requestBodyTimeoutMs: 20_000,
  /** Expiry of a hold; twice the longest operation that holds units. */
  holdTimeoutMs: 2 * operationTimeoutsMs.clone,
  /** How long a request waits for another process to finish writing. */
  databaseBusyMs: 5_000,
  /** Interval of releasing expired holds and saving the last uses of keys. */
  upkeepIntervalMs: 60_000,
  /** After a start on a full disk: interval of checks for free space. */
  fullDiskPollMs: 5_000,
  /** Keys and addresses with a call count. */
  limitedSubjectsMax: 100_000,
  /** Base URLs with cached answers. */
  clientAddressesMax: 16,
  /** Callers and balances cached until the database changes. */
  rememberedMax: 10_000,
  /** Wrong keys from one address; valid keys from it still work afterwards. */
  wrongKeysPerMinute: 100,
  /** Wrong activation codes, by one key and from one address. */
  wrongCodesPerMinute: 10,
  /** Wrong tokens of invitations and setup links, from one address. */
  wrongTokensPerMinute: 10,
  /** Wrong passwords, for one e-mail address and from one client address. */
  wrongPasswordsPerMinute: 10,
  /** Right and wrong passwords, for one e-mail address and from one client address: each takes work. */
  passwordsPerMinute: 60,
  passwordCharactersMin: 8,
  /** In UTF-8. */
  passwordBytesMax: 1024,
  /** Passwords that wait while another one is hashed; further ones get `rate_limited`. */
  passwordsWaitingMax: 16,
  /** A session ends this time after its last use. */
  sessionIdleMs: 7 * dayMs,
  /** A session ends this time after its start. */
  sessionLifetimeMs: 30 * dayMs,
  /** Age of a session's secret at which it is replaced. */
  sessionRotationMs: dayMs,
  /** Time after a replacement in which both secrets work. */
  sessionOverlapMs: 60_000,
  /** The sessions of one person; a further one ends the one that is longest unused. */
  sessionsPerPersonMax: 100,
  invitationLifetimeMs: 7 * dayMs,
  /** The link of the first start, with which its first person joins. */
  setupLifetimeMs: dayMs,
  /** Unused invitations of one account. */
  openInvitationsMax: 100,
  personsPerAccountMax: 1000,
  /** Keys of one account, revoked ones included, beyond which its people make no more. */
  ownKeysMax: 1000,
  /** Longest time for which a replaced key goes on working. */
  keyGraceSecondsMax: 30 * 86_400,
  /** Deletions of clones by one key; `--limit-account` may set another limit or none. */
  cloneDeletionsPerMinute: 30,
  referenceSecondsMax: 15,
  /** An upload without data for this time is aborted. */
  uploadIdleMs: 20_000,
  /** An upload, within the deadline of its operation, to leave time for the work. */
  uploadTimeoutMs: 180_000,
  /** All files of an uploaded pack. */
  packUploadBytesMax: 1_000 << 20,
  packUploadFilesMax: 500,
  /** Uploads of packs at the same time. */
  packUploadsMax: 2,
  /** One utterance, or one chunk to encode. */
  taskTimeoutMs: 20_000,
  /** The same for a voice that was measured to be slow. */
  taskTimeoutMaxMs: 240_000,
  modelLoadTimeoutMs: 120_000,
  /** A pack is probed after its files have not changed for this time. */
  packSettleMs: 2_000,
  /** Interval of folder checks without file system events. */
  packPollMs: 5_000,
  /** After this time of one probe the next one starts in parallel. */
  packPatienceMs: 10_000,
  /** Minimum number of small packs that can be probed in parallel, even with a low memory limit for models. */
  packProbesMin: 4,
  workerMemoryMaxBytes: 768 << 20,
  /** Waiting and running requests; further ones get `rate_limited`. */
  queuedRequestsMax: 512,
  /** Time for running requests after SIGTERM. */
  shutdownGraceMs: 30_000,
  /** The recording of a clone. */
  referenceBytesMax: 15 << 20,
  urlCharactersMax: 4096,
  /**
   * A connection without traffic, and an answer that its client does not read. Counted from the head of a request, so
   * longer operations set a longer time.
   */
  idleConnectionSeconds: 120,
  /** The rest of a refused body of known length is dropped for this time; then the connection is closed. */
  refusedBodySeconds: 30,
  /** The rest of a refused chunked body is read for this time and size before the answer; then the connection is closed. */
  refusedChunksTimeoutMs: 5_000,
  refusedChunksBytesMax: 32 << 20,
  /** Limits for one request: received chunks of any size, and bytes. */
  bodyEventsPerSecondMax: 2_000,
  bodyBytesPerSecondMax: 32 << 20,
  /** The allowed burst, as time at these rates: 4 MiB, more than most recordings have. */
  bodyBurstMs: 125,
  /** Chunks of less than 512 bytes in one chunked body: a burst, such as a text sent letter by letter, and a rate. */
  smallChunksMax: 2_048,
  smallChunksPerSecondMax: 1_000,
} as const

/** Downloads from customers' URLs. Each runs in its own process. */
export const downloadLimits = {
  /** Within the deadline of its operation: queue, name lookup, connection, redirects and file. */
  timeoutMs: 30_000,
  redirectsMax: 5,
  /** Addresses of one host. All of them are checked on the event loop. */
  addressesMax: 64,
  runningMax: 8,
  /** Further ones get `rate_limited`. */
  waitingMax: 64,
  /** Memory of one process beyond its start. */
  memoryGrowthMaxBytes: 64 << 20,
  /** A download without data for this time is aborted, in the head and in the body. */
  idleMs: 15_000,
  headBytesMax: 16 << 10,
  /** Informational responses, such as `100 Continue`. */
  informationalMax: 8,
  /** Chunks of a body: 15 MiB in chunks of 120 bytes. */
  chunksMax: 1 << 17,
  /** Average rate of a body, after `slowStartMs`. */
  bytesPerSecondMin: 1024,
  slowStartMs: 5_000,
} as const
