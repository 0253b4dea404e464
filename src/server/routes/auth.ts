import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { LocalPeer } from '../auth/local-peers.js'
import { type Credential, OWNER } from '../caller.js'
import type { ServerParts } from '../parts.js'
import { type Route, route } from '../route.js'
import { confirmation, deviceList, login, loginLink, me, tokenFile } from '../schemas/auth.js'
import { answer, okAnswer, role } from '../schemas/common.js'
import { toJson } from '../wire/index.js'

const deviceName = z.string().max(80).default('browser')
const loginBody = z.union([
  z.strictObject({ code: z.string().min(1).max(100), name: deviceName }),
  z.strictObject({ passphrase: z.string().min(1).max(1000), name: deviceName }),
])
const confirmBody = z.union([
  z.strictObject({ code: z.string().min(1).max(100) }),
  z.strictObject({ passphrase: z.string().min(1).max(1000) }),
  z.strictObject({ terminalCode: z.string().min(1).max(100) }),
])
const linkBody = z.strictObject({
  name: z.string().min(1).max(80).default(OWNER.name),
  role: role.default('owner'),
})

/** A code belongs to a process of this machine. @throws SignalboxError `E_LOGIN`, `E_RATE` */
async function confirmByCode({ auth, peers }: ServerParts, who: Credential, peer: LocalPeer | null, code: string) {
  if (!peer) throw new SignalboxError('E_LOGIN', 'a terminal code is valid only on this machine')
  return auth.confirmAct(who, peer, peers.redeem(peer, code))
}

/** An answer with a secret, which the redaction of all others would remove. */
function secretJson(value: Parameters<typeof toJson>[0]): Response {
  return new Response(toJson(value, 'rfc3339'), {
    status: 201,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  })
}

export const authRoutes: readonly Route[] = [
  route({
    id: 'auth.login',
    method: 'POST',
    path: '/auth/session',
    summary: 'Exchanges the code of a login link, once, for a device and its key.',
    access: 'open',
    isWrite: false,
    rate: 'login',
    body: loginBody,
    answers: { 201: answer('the device; its key is sent only in this answer', login) },
    handle: async ({ parts, body }) => {
      const { device: made, key, expiresAt } = await parts.auth.login(body, body.name)
      await parts.audit.write('access.granted', { device: made.id, name: made.name, person: made.person })
      return secretJson({ device: made.id, key: key.toString('base64url'), person: made.person, expiresAt })
    },
  }),
  route({
    id: 'auth.me',
    method: 'GET',
    path: '/auth/me',
    summary: 'The person who sent the request, and their role.',
    access: 'viewer',
    answers: { 200: answer('the person, and the credential of the request', me) },
    handle: async ({ parts, who, peer, person: asker, json }) => {
      const hasPassphrase = await parts.auth.hasPassphrase()
      const isConfirmed = parts.auth.confirmedAt(who, peer) !== undefined
      const unproven = isConfirmed ? null : await parts.peers.needsProof(peer, { id: 'approvals.decide' }, who)
      const otherwise = hasPassphrase ? ('passphrase' as const) : ('none' as const)
      return json({
        person: asker,
        // Requests without a person were refused before.
        credential: (who as Exclude<typeof who, { person: null }>).kind,
        ...(who.kind === 'device' && { device: who.device.id, expiresAt: parts.auth.devices.expiryOf(who.device) }),
        isReadOnly: who.kind !== 'socket' && parts.settings.isReadOnly,
        ...(parts.settings.isDemo && { isDemo: true }),
        isConfirmed: who.kind === 'socket' || isConfirmed,
        hasPassphrase,
        ...(unproven !== null && {
          proof: { why: unproven, by: (await parts.peers.canShowCode(peer)) ? ('code' as const) : otherwise },
        }),
      })
    },
  }),
  route({
    id: 'auth.step-up',
    method: 'POST',
    path: '/auth/step-up',
    summary: 'Confirms the login a second time (step-up), for five minutes.',
    access: 'viewer',
    isWrite: false,
    rate: 'login',
    body: confirmBody,
    answers: { 200: answer('when the confirmation expires', confirmation) },
    handle: async ({ parts, who, peer, person: asker, body, json }) => {
      const until =
        'terminalCode' in body
          ? await confirmByCode(parts, who, peer, body.terminalCode)
          : await parts.auth.stepUp(who, body, peer)
      const device = who.kind === 'device' ? { device: who.device.id } : {}
      await parts.audit.write('access.confirmed', { person: asker, ...device })
      return json({ until })
    },
  }),
  route({
    id: 'auth.terminal-code',
    method: 'POST',
    path: '/auth/terminal-code',
    summary: 'Shows a code in the terminal of your tmux client, which confirms what was refused before (step-up).',
    access: 'owner',
    isSocketOnly: true,
    isWrite: false,
    answers: { 200: okAnswer },
    handle: async ({ parts, peer, json }) => {
      await parts.peers.showCode(peer)
      return json({ ok: true })
    },
  }),
  route({
    id: 'auth.logout',
    method: 'DELETE',
    path: '/auth/session',
    summary: 'Logs this browser out.',
    access: 'viewer',
    isWrite: false,
    answers: { 200: okAnswer },
    handle: async ({ parts, who, person: asker, json }) => {
      if (who.kind !== 'device')
        throw new SignalboxError('E_STATE', 'only a browser can log out', { next: 'signalbox serve --rotate-token' })
      await parts.auth.devices.revoke(who.device.id)
      await parts.audit.write('access.revoked', { what: 'device', device: who.device.id, by: asker.name })
      return json({ ok: true })
    },
  }),
  route({
    id: 'auth.devices',
    method: 'GET',
    path: '/auth/devices',
    summary: 'Browsers that are logged in.',
    access: 'owner',
    answers: { 200: answer('most recently used first', deviceList) },
    handle: ({ parts, who, json }) =>
      json({
        items: parts.auth.devices.list().map(found => ({
          id: found.id,
          name: found.name,
          person: found.person,
          createdAt: found.createdAt,
          lastUsedAt: found.usedAt,
          expiresAt: parts.auth.devices.expiryOf(found),
          isThis: who.kind === 'device' && who.device.id === found.id,
        })),
      }),
  }),
  route({
    id: 'auth.revoke-device',
    method: 'DELETE',
    path: '/auth/devices/:id',
    summary: 'Ends the login of a device and all its open streams and terminals.',
    access: 'owner',
    answers: { 200: okAnswer },
    handle: async ({ parts, params, person: asker, json }) => {
      if (!(await parts.auth.devices.revoke(params.id!)))
        throw new SignalboxError('E_UNKNOWN', `unknown device "${params.id}"`, { next: 'GET /auth/devices lists them' })
      await parts.audit.write('access.revoked', { what: 'device', device: params.id!, by: asker.name })
      return json({ ok: true })
    },
  }),
  route({
    id: 'auth.link',
    method: 'POST',
    path: '/auth/links',
    summary: 'Creates a login link for a person, or for another device of yours.',
    access: 'owner',
    needsStepUp: true,
    body: linkBody,
    answers: { 201: answer('the link', loginLink) },
    handle: async ({ parts, body }) => {
      const address = parts.address()
      if (address === null)
        throw new SignalboxError('E_NOT_READY', 'the dashboard is not listening', {
          next: 'see the daemon’s log, then run signalbox serve --stop and signalbox serve',
        })
      const isOwner = body.role === 'owner'
      const made = { id: isOwner ? OWNER.id : `person:${body.name}`, name: body.name, role: body.role }
      return secretJson({ url: `${address}/login#${await parts.auth.codes.make(made)}`, address, role: body.role })
    },
  }),
  route({
    id: 'auth.rotate-token',
    method: 'POST',
    path: '/auth/token/rotate',
    summary: 'Creates a new token and invalidates the previous one.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: answer('the file of the token', tokenFile) },
    handle: async ({ parts, person: asker, json }) => {
      await parts.auth.token.rotate()
      parts.streams.endToken()
      await parts.audit.write('access.revoked', { what: 'token', by: asker.name })
      return json({ file: parts.auth.token.path })
    },
  }),
]
