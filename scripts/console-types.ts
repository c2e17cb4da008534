/**
 * Writes `src/console/client/api.d.ts`, the types of the HTTP interface for the console, from the server's own OpenAPI
 * document. The file is not part of the repository, so that the two cannot differ.
 */
import { join } from 'node:path'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { describeApi } from '../src/http/openapi/document'
import { replaceFile, root } from './run'

const description = describeApi('http://127.0.0.1:7788') as unknown as OpenAPI3
const types = await openapiTypescript(description, { defaultNonNullable: false })
await replaceFile(join(root, 'src/console/client/api.d.ts'), astToString(types))
