import { useState } from 'preact/hooks'
import type { TelegramBot } from '../api/types'
import { sentence } from '../store/toasts'
import { postJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { isCancelled, withStepUp } from '../ui/step-up'

/** Asks for the token of a bot; the server checks it with Telegram and starts the bot. */
export function TelegramSetup({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const [token, setToken] = useState('')
  const [found, setFound] = useState<TelegramBot | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const body = { token: token.trim(), removesWebhook: found !== null }
      const bot = await withStepUp('connect a Telegram bot', () => postJson<TelegramBot>('/pairing/telegram/bot', body))
      if (bot.hasWebhook) setFound(bot)
      else onDone()
    } catch (error) {
      if (!isCancelled(error)) setProblem(sentence((error as Error).message))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title="Set up Telegram" onClose={onClose}>
      <form class="stack wide" onSubmit={submit}>
        <ol class="phone-steps stack">
          <li>
            In Telegram, send <code>/newbot</code> to{' '}
            <a class="link" href="https://t.me/BotFather" target="_blank" rel="noreferrer">
              @BotFather
            </a>
            . It creates a bot of your own and shows its token.
          </li>
          <li>
            <label for="bot-token">Paste the token here:</label>
            <input
              id="bot-token"
              class="input mono"
              type="password"
              autocomplete="off"
              placeholder="1234567:AA…"
              value={token}
              aria-invalid={problem !== null}
              onInput={event => {
                setToken(event.currentTarget.value)
                setFound(null)
                setProblem(null)
              }}
            />
            {problem !== null && (
              <span class="tiny field-problem" role="alert">
                {problem}
              </span>
            )}
            {found && (
              <span class="small" role="alert">
                Another program receives the messages of @{found.name} through a webhook. Signalbox can remove the
                webhook; that program then gets none.
              </span>
            )}
          </li>
          <li>Then you pair your chat with the bot.</li>
        </ol>
        <p class="small soft">The token is stored in a file on this machine that only you can read.</p>
        <div class="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" class="btn" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="btn solid" disabled={token.trim() === '' || isBusy}>
            {isBusy ? 'Connecting…' : found ? 'Remove the webhook and connect' : 'Connect the bot'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
