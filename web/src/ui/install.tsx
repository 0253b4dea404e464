import { CopyButton } from './copy'

export function Install({ title, text }: { title: string; text: string }) {
  return (
    <>
      <dt class="strong">{title}</dt>
      <dd class="row wrap">
        <InstallCommand title={title} text={text} />
      </dd>
    </>
  )
}

/** The command alone can be copied; what comes after it is a page to read. */
export function InstallCommand({ title, text }: { title: string; text: string }) {
  const [command = text, page] = text.split(/, or see (?=https:)/)
  return (
    <>
      <code>{command}</code>
      <CopyButton text={command} label={`Copy the command for ${title}`} />
      {page !== undefined && (
        <a class="link" href={page} target="_blank" rel="noreferrer">
          Other ways
        </a>
      )}
    </>
  )
}
