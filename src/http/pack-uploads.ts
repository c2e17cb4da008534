/** Uploads of packs: a form with the files of one folder. */
import { checkUploadName } from '../packs/upload'
import { uploadPack } from '../admin/uploads'
import { limits, voicesDirectory } from '../config'
import { AppError } from '../errors'
import { readText } from '../fields'
import { actorOf } from './admin'
import { queryOf, readJsonObject } from './body'
import type { HttpContext } from './context'
import { isForm, readForm } from './form'
import type { Handlers } from './routes'

export function packUploadHandlers({ db, config, packs }: HttpContext) {
  let running = 0

  return {
    async uploadPack({ request, caller, deadline }) {
      const readName = () => checkUploadName(readText(queryOf(request), 'name', { charactersMax: 100 }))
      if (!isForm(request)) {
        if (request.body) await readJsonObject(request)
        readName()
        throw new AppError('invalid_params', 'file: a form (multipart/form-data) with files is required.', {
          param: 'file',
        })
      }
      const name = readName()
      if (running >= limits.packUploadsMax)
        throw new AppError('rate_limited', `${running} packs are being uploaded.`, { retryAfterSeconds: 60 })
      running++
      try {
        const administration = { db, actor: actorOf(caller), refusesLockOut: true, nowMs: Date.now }
        const { minFreeBytes } = config
        const { packUploadBytesMax: sizeBytesMax, packUploadFilesMax: filesMax } = limits
        return await uploadPack(
          administration,
          packs,
          { directory: voicesDirectory(config), minFreeBytes },
          {
            name,
            announcedBytes: Number(request.headers.get('content-length') ?? 0),
            read: async (receive) => {
              const { files } = await readForm(request, { deadline, sizeBytesMax, filesMax, receive })
              return files.length
            },
          },
        )
      } finally {
        running--
      }
    },
  } satisfies Partial<Handlers>
}
