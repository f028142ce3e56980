// Applies the user's theme before the first paint.
try {
  const person = JSON.parse(localStorage.getItem('session') ?? 'null')?.person?.id;
  const theme = localStorage.getItem(`${person}/theme`);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  /* Storage is forbidden, so the system's theme applies. */
}
