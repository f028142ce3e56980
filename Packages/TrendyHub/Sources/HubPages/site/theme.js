// Before the first picture: the theme that this browser's person chose, if any.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch { /* storage is forbidden: the system's theme it is */ }
