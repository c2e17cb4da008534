/** `POST /api/v1/admin/packs`: installs a pack by name. */
import { Elysia } from 'elysia'
import { installPack } from '../admin/installs'
import { readJsonObject } from './body'
import type { HttpContext } from './context'

export function packRoutes({ db, access, speaking, installer }: HttpContext) {
  return new Elysia().post(
    '/api/v1/admin/packs',
    async ({ request }) => {
      const caller = access.administrator(request)
      const fields = await readJsonObject(request)
      const actor = `account ${caller.accountId}, key ${caller.keyId}`
      const admin = { db, catalogue: speaking.catalogue, actor, refusesLockOut: true, nowMs: Date.now }
      return Response.json(await installPack(admin, installer, fields), { status: 202 })
    },
    { parse: 'none' },
  )
}
