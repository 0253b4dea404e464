import { useEffect, useRef, useState } from 'preact/hooks'
import type { Health, Paired, Pairing } from '../api/types'
import { isOwner } from '../store/live'
import { attempt, toastError } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { lazy } from '../ui/lazy'
import { Section } from '../ui/panel'
import { withStepUp } from '../ui/step-up'
import { TimeLeft } from '../ui/time'
import { useLoad } from '../ui/use-load'

const POLL_MS = 2_000

const TelegramSetup = lazy(() => import('./telegram-setup').then(module => module.TelegramSetup))

/**
 * Connects a Telegram bot, and pairs a chat: the page shows a code, the person sends it to the bot
 * and confirms it here.
 */
export function PairingSection({ onPaired }: { onPaired(): void }) {
  const health = useLoad('telegram', signal => getJson<Health>('/health', { signal }))
  const [open, setOpen] = useState<'setup' | 'pair' | null>(null)
  const state = health.value?.telegram.state
  return (
    <Section title="Telegram">
      <div class="panel">
        <div class="pad row wrap this-browser">
          <span class="grow small soft">
            {state === undefined
              ? 'Checking the bot…'
              : state === 'off'
                ? 'Telegram is not set up. Connect your own bot to answer requests from your phone.'
                : `The bot is ${state}. To pair a chat, send the code that this page shows to the bot.`}
          </span>
          <button
            type="button"
            class="btn"
            disabled={!isOwner.value || !state}
            onClick={() => setOpen(state === 'off' ? 'setup' : 'pair')}
          >
            {state === 'off' ? 'Set up Telegram…' : 'Pair a chat…'}
          </button>
        </div>
      </div>
      {open === 'setup' && (
        <TelegramSetup
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen('pair')
            health.reload()
          }}
        />
      )}
      {open === 'pair' && (
        <PairingDialog
          onClose={isPaired => {
            setOpen(null)
            if (isPaired) onPaired()
          }}
        />
      )}
    </Section>
  )
}

function PairingDialog({ onClose }: { onClose(isPaired: boolean): void }) {
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const isClosed = useRef(false)
  const ask = (action: 'open' | 'close') => postJson<Pairing>('/pairing/telegram', { action })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    // `open` returns the state of a pairing that is already open.
    const poll = async () => {
      try {
        const state = await withStepUp('pair a Telegram chat', () => ask('open'))
        if (isClosed.current) return
        setPairing(state)
        timer = setTimeout(() => void poll(), POLL_MS)
      } catch (error) {
        if (isClosed.current) return
        toastError(error)
        onClose(false)
      }
    }
    void poll()
    return () => {
      isClosed.current = true
      clearTimeout(timer)
    }
  }, [])
  const close = () => {
    isClosed.current = true
    if (pairing) void ask('close').catch(() => undefined)
    onClose(false)
  }
  const confirm = async (code: string) => {
    isClosed.current = true
    const pair = () => postJson<Paired>('/pairing/telegram', { action: 'confirm', code })
    onClose((await attempt(() => withStepUp('pair a Telegram chat', pair), 'The chat is paired')) !== null)
  }
  if (!pairing?.code) return null
  const { code, candidate, expiresAt } = pairing
  return (
    <Dialog title="Pair a chat" onClose={close}>
      <div class="stack wide">
        <p>Send this code to your bot in a private chat:</p>
        <div class="row pairing-code">
          <code>{code}</code>
          <CopyButton text={code} label="Copy the code" />
        </div>
        <p class="small dim" role="status">
          {candidate ? (
            <>
              <b>{candidate.name}</b> (account {candidate.id}) sent the code.
            </>
          ) : (
            <>Waiting for the code · {expiresAt !== null && <TimeLeft until={expiresAt} />}</>
          )}
        </p>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={close}>
            Back
          </button>
          <button type="button" class="btn solid" disabled={!candidate} onClick={() => void confirm(code)}>
            This is me
          </button>
        </div>
      </div>
    </Dialog>
  )
}
