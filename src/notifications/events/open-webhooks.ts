import { readFileSync } from 'node:fs'
import { SignalboxError } from '../../errors/index.js'
import { WebhookDelivery, type WebhookDeliveryOptions } from './webhook-delivery.js'

/** A webhook as the settings describe it. */
export interface WebhookSettings {
  url: string | null
  events: readonly string[]
  secret_file: string | null
}

/** Starts the webhooks of the settings. One that cannot be started is reported, the others run. */
export async function openEventWebhooks(
  hooks: Readonly<Record<string, WebhookSettings>>,
  options: Omit<WebhookDeliveryOptions, 'target'>,
): Promise<{ close(): Promise<void> }> {
  const running: WebhookDelivery[] = []
  for (const [name, { url, events, secret_file }] of Object.entries(hooks)) {
    if (url === null) continue
    try {
      const secret = secret_file === null ? null : readSecret(name, secret_file)
      const delivery = new WebhookDelivery({ ...options, target: { name, url, events, secret } })
      await delivery.start()
      running.push(delivery)
    } catch (error) {
      options.onError(error)
    }
  }
  return { close: async () => void (await Promise.all(running.map(delivery => delivery.stop()))) }
}

function readSecret(name: string, file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret !== '') return secret
  throw new SignalboxError('E_CONFIG', `the secret of webhook ${name} (${file}) is empty`)
}
