// Swift cannot call variadic C functions: each one that is needed has a plain twin here.
#pragma once
#include <microhttpd.h>

static inline struct MHD_Daemon *trendy_mhd_start(
    unsigned int idle_timeout_seconds, unsigned int connection_limit, size_t connection_memory_bytes,
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection_changed, void *context) {
  // Strictness is the gate's, which answers in problem documents; the library's own refusals are pages of text.
  // Connections are accepted by the gate and added one by one, so the daemon has no listening socket of its own.
  return MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0,
      NULL, NULL, handler, context,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
      MHD_OPTION_CONNECTION_LIMIT, connection_limit,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory_bytes,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connection_changed, context,
      MHD_OPTION_END);
}

// The socket of a connection, -1 if the library does not tell.
static inline int trendy_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

static inline int trendy_mhd_is_closed(enum MHD_ConnectionNotificationCode change) {
  return change == MHD_CONNECTION_NOTIFY_CLOSED;
}
