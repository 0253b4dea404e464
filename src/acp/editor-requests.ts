import { methods, type RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { TurnOptions } from './prompt-turn.js'

interface Request {
  id: string
  state: string
  kind: string
  fingerprint: string
  risk: { level: 'low' | 'elevated' | 'high'; reasons: string[] }
  request: { tool: string; options: { key: string; label: string; meaning: string }[] }
  display: { title: string; hash: string; blocks: { text?: string }[] }
}

const KINDS: Readonly<Record<string, 'allow_once' | 'allow_always' | 'reject_once'>> = {
  'allow-once': 'allow_once',
  'allow-session': 'allow_always',
  'allow-always': 'allow_always',
  deny: 'reject_once',
}

/**
 * The requests of a session, shown in the editor. The editor's answer is a decision in the ledger
 * like any other, once, and other surfaces may be faster. An editor can be configured to allow
 * everything without showing it, so the ledger counts the request as not shown: risky requests can
 * be denied in the editor, but must be allowed on another surface.
 */
export class EditorRequests {
  readonly #options: TurnOptions
  readonly #shown = new Set<string>()
  #isClosed = false

  constructor(options: TurnOptions) {
    this.#options = options
  }

  close(): void {
    this.#isClosed = true
  }

  /** Shows the requests that are new. */
  async showNew(): Promise<void> {
    for (const request of await this.#pending()) {
      if (this.#shown.has(request.id) || this.#isClosed) continue
      this.#shown.add(request.id)
      void this.#show(request).catch(() => undefined)
    }
  }

  async #pending(): Promise<Request[]> {
    const { backend, session } = this.#options
    const path = `/approvals?state=pending&session=${encodeURIComponent(session)}`
    return ((await backend.get(path)) as { items: Request[] }).items
  }

  async #show({ id, fingerprint, risk, request, display }: Request): Promise<void> {
    const { client, session: sessionId, backend, person } = this.#options
    const mayAllow = risk.level === 'low'
    const where = mayAllow
      ? []
      : [`Risk ${risk.level}: ${risk.reasons.join('; ')}. Allow it with: signalbox approve ${id}`]
    const text = [...display.blocks.flatMap(({ text: line }) => line ?? []), ...where].join('\n')
    const options = request.options.flatMap(({ key, label, meaning }) => {
      const kind = KINDS[meaning]
      return kind && (mayAllow || kind === 'reject_once') ? [{ optionId: key, name: label, kind }] : []
    })
    const asked: RequestPermissionRequest = {
      sessionId,
      toolCall: {
        toolCallId: id,
        title: display.title || request.tool,
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
      options,
    }
    const { outcome } = await client.request(methods.client.session.requestPermission, asked)
    if (outcome.outcome !== 'selected') return
    await backend.post(`/approvals/${id}/decision`, {
      fingerprint,
      option: outcome.optionId,
      seen: { displayHash: display.hash, whole: false },
      actor: { id: person.id, name: `${person.name} (editor)` },
      surface: 'api',
    })
  }
}
