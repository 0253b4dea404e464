import { useEffect, useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Login } from '../api/types'
import { startLiveData } from '../store/live'
import { go } from '../store/router'
import { sentence } from '../store/toasts'
import { keepDevice } from '../transport/device'
import { ApiError, request, useDevice } from '../transport/request'
import { Logo } from '../ui/icons'

/**
 * The login form. A login link signs in by itself; its code is removed from the address bar first.
 */
export function LoginPage() {
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)

  const signIn = async (secretOf: { code: string } | { passphrase: string }) => {
    setBusy(true)
    setProblem(null)
    try {
      const response = await request('/auth/session', {
        method: 'POST',
        body: { ...secretOf, name: deviceName() },
        isOpen: true,
      })
      const { device, key, expiresAt } = (await response.json()) as Login
      useDevice(await keepDevice(device, key, timeOf(expiresAt)))
      go(location.pathname === '/login' ? '/' : location.pathname + location.search, { replace: true })
      await startLiveData()
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }

  useEffect(() => {
    const code = location.hash.slice(1)
    if (code === '') return
    history.replaceState(null, '', location.pathname)
    void signIn({ code })
  }, [])

  const submit = (event: Event) => {
    event.preventDefault()
    const text = secret.trim()
    const code = text.includes('#') ? text.slice(text.indexOf('#') + 1) : text
    void signIn(/^[\w-]{32}$/.test(code) ? { code } : { passphrase: text })
  }

  return (
    <main class="login">
      <div class="login-box">
        <div class="login-mark">
          <Logo />
        </div>
        <h1>Signalbox</h1>
        <p class="soft">Coding agents, their requests, and your decisions.</p>
        {isBusy ? (
          <p role="status">Signing in…</p>
        ) : (
          <form class="stack wide" onSubmit={submit}>
            {problem !== null && (
              <div class="empty problem" role="alert">
                <p class="strong">{sentence((problem as Error).message)}</p>
                {problem instanceof ApiError && problem.next && problem.status !== 401 && (
                  <p class="small">{sentence(problem.next)}</p>
                )}
              </div>
            )}
            <div class="field">
              <label for="login-secret">Login link or passphrase</label>
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
              <p class="small soft">To get a login link, run this command on the machine that runs Signalbox:</p>
              <code>signalbox serve --link</code>
              <p class="tiny dim">A link works once and expires after 5 minutes.</p>
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
