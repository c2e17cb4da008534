/** The page of the API description: Swagger UI, embedded in the executable, and its start script. */
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

export type PageFile = { readonly body: Bun.BunFile | string; readonly contentType: string }

export type Page = { readonly html: string; readonly files: ReadonlyMap<string, PageFile> }

/** The description names one address; replace it with the one in the browser, such as a tunnel's. */
const starter = `'use strict'
const base = new URL('..', document.currentScript.src).href.replace(/\\/$/, '')
fetch(base + '/openapi.json')
  .then((answer) => answer.json())
  .then((spec) =>
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: base }] },
      dom_id: '#page',
      deepLinking: true,
      filter: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    }),
  )
`

/** Names files by their content, so that browsers may cache them. `prefix`: the path of the base URL. */
export async function makePage(prefix: string): Promise<Page> {
  const style = Bun.file(stylePath)
  const bundle = Bun.file(bundlePath)
  const files = new Map<string, PageFile>([
    [await nameOf(style, 'css'), { body: style, contentType: 'text/css; charset=utf-8' }],
    [await nameOf(bundle, 'js'), { body: bundle, contentType: 'text/javascript; charset=utf-8' }],
    [await nameOf(new Blob([starter]), 'js'), { body: starter, contentType: 'text/javascript; charset=utf-8' }],
  ])
  const [styleUrl, bundleUrl, starterUrl] = [...files.keys()].map((name) => `${prefix}/docs/${name}`)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sonant API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleUrl}">
</head>
<body>
<div id="page"></div>
<script src="${bundleUrl}"></script>
<script src="${starterUrl}"></script>
</body>
</html>
`
  return { html, files }
}

async function nameOf(content: Blob, extension: string): Promise<string> {
  return `${Bun.hash(await content.arrayBuffer()).toString(16)}.${extension}`
}
