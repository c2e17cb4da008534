'use strict'
{
  const button = document.getElementById('copy')
  const command = document.getElementById('command')

  // Pages that came over plain HTTP from another machine have no clipboard; there the selection is copied.
  const copy = async () => {
    if (navigator.clipboard) return navigator.clipboard.writeText(command.textContent)
    getSelection().selectAllChildren(command)
    if (!document.execCommand('copy')) throw new Error('not copied')
  }

  button.hidden = false
  button.addEventListener('click', () => {
    copy().then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not copied'),
    )
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
}
