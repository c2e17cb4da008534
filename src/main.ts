/** Entry of the executable. */
export {}

// What the server and the verbs beside it write is for their user only. Speech that `say` writes is the user's own file.
if (process.argv[2] !== 'say') process.umask(0o077)

if (process.argv[2] === 'worker') (await import('./workers/worker')).runWorker()
else if (process.argv[2] === 'downloader') (await import('./net/download/downloader')).runDownloader()
else await (await import('./cli/main')).runCli(process.argv.slice(2))
