import { useEffect, useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Time } from '../api/types'
import { goLive } from '../store/live'
import { go } from '../store/router'
import { sentence } from '../store/toasts'
import { keepDevice } from '../transport/device'
import { ApiError, request, useDevice } from '../transport/request'
import { Mark } from '../ui/icons'

interface Exchanged {
  device: string | { id: string }
  key: string
  expiresAt?: Time
}

/** One field, or nothing when a link was followed. The code leaves the address bar before anything else happens. */
export function LoginPage() {
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  const enter = async (wish: { code: string } | { passphrase: string }) => {
    setBusy(true)
    setProblem(null)
    try {
      const response = await request('/auth/session', {
        method: 'POST',
        body: { ...wish, name: deviceName() },
        isOpen: true,
      })
      const { device, key, expiresAt } = (await response.json()) as Exchanged
      const id = typeof device === 'string' ? device : device.id
      useDevice(await keepDevice(id, key, expiresAt === undefined ? null : timeOf(expiresAt)))
      go(location.pathname === '/login' ? '/' : location.pathname + location.search, { replace: true })
      await goLive()
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }

  useEffect(() => {
    const code = location.hash.slice(1)
    if (code === '') return
    history.replaceState(null, '', location.pathname)
    void enter({ code })
  }, [])

  const submit = (event: Event) => {
    event.preventDefault()
    const text = secret.trim()
    const code = text.includes('#') ? text.slice(text.indexOf('#') + 1) : text
    void enter(/^[\w-]{32}$/.test(code) ? { code } : { passphrase: text })
  }

  return (
    <main class="login">
      <div class="login-box">
        <div class="login-mark">
          <Mark />
        </div>
        <h1>Signalbox</h1>
        <p class="soft">Coding agents, their questions, and your decisions.</p>
        {isBusy ? (
          <p role="status">Signing in …</p>
        ) : (
          <form class="stack wide" onSubmit={submit}>
            {problem !== null && (
              <div class="empty problem" role="alert">
                <p class="strong">{sentence((problem as Error).message)}</p>
                {problem instanceof ApiError && problem.next && <p class="small">{sentence(problem.next)}</p>}
              </div>
            )}
            <div class="field">
              <label for="login-secret">Login link, or passphrase</label>
              <input
                id="login-secret"
                class="input"
                type="password"
                autocomplete="current-password"
                value={secret}
                onInput={event => setSecret(event.currentTarget.value)}
              />
            </div>
            <button type="submit" class="btn solid tall" disabled={secret.trim() === ''}>
              Sign in
            </button>
            <div class="login-hint">
              <p class="small soft">To get a link, run this where Signalbox runs and open what it prints:</p>
              <code>signalbox serve --link</code>
              <p class="tiny dim">A link works once, for five minutes.</p>
            </div>
          </form>
        )}
      </div>
    </main>
  )
}

function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Firefox/.test(agent)
    ? 'Firefox'
    : /Edg/.test(agent)
      ? 'Edge'
      : /Chrom/.test(agent)
        ? 'Chrome'
        : 'Safari'
  const system = /Android/.test(agent)
    ? 'Android'
    : /iPhone|iPad/.test(agent)
      ? 'iOS'
      : /Mac/.test(agent)
        ? 'macOS'
        : /Windows/.test(agent)
          ? 'Windows'
          : 'Linux'
  return `${browser} on ${system}`
}
