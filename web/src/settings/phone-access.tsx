import { CopyButton } from '../ui/copy'
import { isLocalPage } from './local-page'
import { PhoneCode } from './login-link'

/**
 * How a phone gets in. A page that only this machine can open has three ways, of which two need no
 * HTTPS.
 */
export function PhoneAccess() {
  return (
    <section class="panel" aria-label="Your phone">
      <header>
        <h2>Your phone</h2>
      </header>
      {isLocalPage() ? <Ways /> : <SignIn />}
    </section>
  )
}

/** The way to the page of workers for people who have none yet. */
export function OtherMachines() {
  return (
    <section class="panel" aria-label="Other machines">
      <header>
        <h2>Other machines</h2>
      </header>
      <p class="pad small soft">
        Sessions and runs can work on other machines of yours, as workers of this one.{' '}
        <a class="link" href="/workers">
          Workers
        </a>
      </p>
    </section>
  )
}

function SignIn() {
  return (
    <ol class="pad stack phone-steps">
      <li>
        Scan the QR code with your phone: <PhoneCode />
      </li>
      <li>Add the page to your home screen, and switch on notifications there.</li>
    </ol>
  )
}

function Ways() {
  const port = location.port || '4100'
  return (
    <>
      <p class="pad soft small">
        This address works only on this machine: Signalbox never offers the page without encryption. Choose one of three
        ways for your phone.
      </p>
      <ul class="controls">
        <li class="phone-way">
          <h3>Telegram: no open port, no HTTPS</h3>
          <p class="small soft">
            You read answers, decide requests and send prompts in a chat with your own bot. It works from anywhere.
          </p>
          <a class="btn phone-button" href="/settings/people">
            Set up Telegram
          </a>
        </li>
        <li class="phone-way">
          <h3>This page over SSH: no HTTPS needed</h3>
          <p class="small soft">
            An SSH app on your phone forwards the port, also on the same network, with the command below. Then scan the
            QR code. Notifications work while the tunnel is open.
          </p>
          <Command text={`ssh -L ${port}:127.0.0.1:${port} you@this-machine`} />
          <span class="phone-button">
            <PhoneCode />
          </span>
        </li>
        <li class="phone-way">
          <h3>This page over HTTPS: to install it, with notifications</h3>
          <p class="small soft">
            Tailscale gives this machine an HTTPS address for your own devices; a reverse proxy or a certificate of your
            own also works. It changes where Signalbox listens, so it is set up in a terminal. Then open this page at
            its new address: it shows the QR code for your phone here.
          </p>
          <Command
            text={[
              `tailscale serve --bg ${port}`,
              `signalbox config set server.port ${port}`,
              'signalbox config set server.behind_proxy true',
              'signalbox config set server.proxies \'["127.0.0.1"]\'',
              'signalbox config set server.hosts \'["this-machine.your-tailnet.ts.net"]\'',
              'signalbox serve --stop',
            ].join('\n')}
          />
        </li>
      </ul>
    </>
  )
}

function Command({ text }: { text: string }) {
  return (
    <span class="row command-line">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </span>
  )
}
