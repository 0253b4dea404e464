import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { personName } from '../caller.js'
import { type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { pushState, pushSubscription, pushTested } from '../schemas/push.js'

export const pushRoutes: readonly Route[] = [
  route({
    id: 'push.state',
    method: 'GET',
    path: '/push',
    summary: 'The key with which a browser subscribes to notifications, and the browsers that have.',
    access: 'viewer',
    answers: { 200: answer('the key and the subscriptions', pushState) },
    handle: ({ host, json }) =>
      json({
        publicKey: host.push.publicKey,
        items: host.push.list().map(({ id, person, device, at }) => ({ id, person, device, at })),
      }),
  }),
  route({
    id: 'push.subscribe',
    method: 'POST',
    path: '/push/subscriptions',
    summary: 'Subscribes a browser: it is notified also while the dashboard is closed.',
    access: 'approver',
    body: z.strictObject({
      endpoint: z.url().max(2048),
      keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
      device: z.string().max(100).default('a browser'),
    }),
    answers: { 201: answer('the subscription', pushSubscription) },
    handle: ({ host, person, body, json }) => {
      const { id, device, at } = host.push.subscribe({ ...body, person: personName(person.id) })
      return json({ id, person: personName(person.id), device, at }, 201)
    },
  }),
  route({
    id: 'push.unsubscribe',
    method: 'DELETE',
    path: '/push/subscriptions/:id',
    summary: 'Ends a subscription.',
    access: 'approver',
    answers: { 200: okAnswer },
    handle: ({ host, params, json }) => {
      if (host.push.unsubscribe(params.id!)) return json({ ok: true })
      throw new SignalboxError('E_UNKNOWN', 'unknown subscription', { next: 'GET /push lists them' })
    },
  }),
  route({
    id: 'push.test',
    method: 'POST',
    path: '/push/test',
    summary: 'Sends a notification to all subscribed browsers.',
    access: 'approver',
    answers: { 200: answer('how many took it', pushTested) },
    handle: async ({ host, json }) =>
      json(
        await host.push.send({
          title: 'Signalbox',
          body: 'This is how you are notified when an agent needs you.',
          tag: 'test',
          url: '/',
        }),
      ),
  }),
]
