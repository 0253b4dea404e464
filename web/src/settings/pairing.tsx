import { useEffect, useRef, useState } from 'preact/hooks'
import type { Time } from '../api/types'
import { isOwner } from '../store/live'
import { attempt, toastError } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { Section } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { Left } from '../ui/time'
import { useLoad } from '../ui/use-load'

interface Pairing {
  isOpen: boolean
  code: string | null
  expiresAt: Time | null
  candidate: { id: number; name: string } | null
  closed: string | null
}

const LOOK_MS = 2_000

/** A chat becomes a person's: a code is shown here, sent there, and confirmed here. */
export function PairingSection({ onPaired }: { onPaired(): void }) {
  const health = useLoad('telegram', signal => getJson<{ telegram: { state: string } }>('/health', { signal }))
  const [isOpen, setOpen] = useState(false)
  const state = health.value?.telegram.state
  return (
    <Section title="Telegram">
      <div class="panel">
        <div class="pad row wrap this-browser">
          <span class="grow small soft">
            {state === undefined
              ? 'Looking for the bot …'
              : state === 'off'
                ? 'No bot runs. With a token of your own bot, requests can be answered from a chat.'
                : `The bot is ${state}. A chat is paired by a code that is shown here and sent to the bot.`}
          </span>
          {state === 'off' ? (
            <code class="small">signalbox telegram setup</code>
          ) : (
            <button type="button" class="btn" disabled={!isOwner.value || !state} onClick={() => setOpen(true)}>
              Pair a chat …
            </button>
          )}
        </div>
      </div>
      {isOpen && (
        <PairingDialog
          onClose={isPaired => {
            setOpen(false)
            if (isPaired) onPaired()
          }}
        />
      )}
    </Section>
  )
}

function PairingDialog({ onClose }: { onClose(isPaired: boolean): void }) {
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const isOver = useRef(false)
  const ask = (body: Record<string, string>) => postJson<Pairing>('/pairing/telegram', body)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    // Asking to open a window that is open tells how it stands.
    const look = async () => {
      try {
        const state = await withStepUp(() => ask({ action: 'open' }))
        if (isOver.current) return
        setPairing(state)
        timer = setTimeout(() => void look(), LOOK_MS)
      } catch (error) {
        if (isOver.current) return
        toastError(error)
        onClose(false)
      }
    }
    void look()
    return () => {
      isOver.current = true
      clearTimeout(timer)
    }
  }, [])
  const close = () => {
    isOver.current = true
    if (pairing) void ask({ action: 'close' }).catch(() => undefined)
    onClose(false)
  }
  const confirm = async (code: string) => {
    isOver.current = true
    const done = await attempt(() => withStepUp(() => ask({ action: 'confirm', code })), 'The chat is paired')
    onClose(done !== null && done !== undefined)
  }
  if (!pairing?.code) return null
  const { code, candidate, expiresAt } = pairing
  return (
    <Dialog title="Pair a chat" onClose={close}>
      <div class="stack wide">
        <p>Send this code to your bot, in a private chat:</p>
        <div class="row pairing-code">
          <code>{code}</code>
          <CopyButton text={code} label="Copy the code" />
        </div>
        <p class="small dim" role="status">
          {candidate ? (
            <>
              <b>{candidate.name}</b> (account {candidate.id}) has sent it.
            </>
          ) : (
            <>Nobody has sent it yet · {expiresAt !== null && <Left until={expiresAt} />}</>
          )}
        </p>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={close}>
            Back
          </button>
          <button type="button" class="btn solid" disabled={!candidate} onClick={() => void confirm(code)}>
            That is me
          </button>
        </div>
      </div>
    </Dialog>
  )
}
