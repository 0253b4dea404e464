import { CopyButton } from './copy'

/** A link to be copied: too long to be read, and all of it is selected at once. */
export function LinkField({ link }: { link: string }) {
  return (
    <div class="share-link" role="status">
      <input
        class="input mono"
        readOnly
        aria-label="Link"
        value={link}
        onFocus={event => event.currentTarget.select()}
      />
      <CopyButton class="btn" text={link} label="Copy the link">
        Copy
      </CopyButton>
    </div>
  )
}
