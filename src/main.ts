/** Entry of the executable. */
export {}

if (process.argv[2] === 'worker') (await import('./speech/worker')).runWorker()
else if (process.argv[2] === 'downloader') (await import('./net/download/downloader')).runDownloader()
else await (await import('./cli/main')).runCli(process.argv.slice(2))
