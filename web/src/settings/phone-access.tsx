import { CopyButton } from '../ui/copy'

/** How a phone signs in. Login links are made at the terminal only. */
export function PhoneAccess() {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
  return (
    <section class="panel" aria-label="Your phone">
      <header>
        <h2>Your phone</h2>
      </header>
      <ol class="pad stack phone-steps">
        {isLocal && (
          <li>
            Make this page reachable over HTTPS: with Tailscale (<code>tailscale serve</code>), a reverse proxy, or a
            certificate of your own. This address works only on this machine.
          </li>
        )}
        <li>
          In a terminal, run <code>signalbox open --qr</code>{' '}
          <CopyButton text="signalbox open --qr" label="Copy the command" /> and scan the code.
        </li>
        <li>Add the page to your home screen, and switch on notifications there.</li>
      </ol>
    </section>
  )
}
