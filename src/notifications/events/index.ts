/*
 * Events of the log for other programs: signed webhooks with a filter, retries, dead letters and
 * replay (`webhooks.<name>` in the settings, `signalbox webhooks`).
 *
 * - webhook-delivery.ts: one webhook, event by event. webhook-request.ts: payload, signature,
 *   filter.
 * - webhook-record.ts: how far it is, and its dead letters: a projection.
 */
export { openEventWebhooks } from './open-webhooks.js'
export { type WebhookRecord, webhookStream, webhooksProjection } from './webhook-record.js'
