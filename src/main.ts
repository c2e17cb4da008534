/** Entry of the executable. */
export {}

// Files of the server and of commands beside it are for their user only. `say` writes with the user's own umask.
if (process.argv[2] !== 'say') process.umask(0o077)

if (process.argv[2] === 'worker') (await import('./workers/worker')).runWorker()
else if (process.argv[2] === 'downloader') (await import('./net/download/downloader')).runDownloader()
else await (await import('./cli/main')).runCli(process.argv.slice(2))
