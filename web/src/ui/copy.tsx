import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toastError } from '../store/toasts'
import { CheckIcon, CopyIcon } from './icons'

const SHOWN_MS = 1_500

export function CopyButton({ text, label = 'Copy', class: kind = 'btn quiet icon', children }: CopyProps) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text)
      setDone(true)
      setTimeout(() => setDone(false), SHOWN_MS)
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <button
      type="button"
      class={kind}
      aria-label={children ? undefined : isDone ? 'Copied' : label}
      title={label}
      onClick={copy}
    >
      {isDone ? <CheckIcon /> : <CopyIcon />}
      {children}
    </button>
  )
}

interface CopyProps {
  text: string | (() => string)
  label?: string
  class?: string
  children?: ComponentChildren
}
