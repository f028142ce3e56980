#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
#if os(Linux)
  import CEpoll
#endif

/// Waits until descriptors are ready, using epoll on Linux and poll elsewhere. Used by a single thread.
///
/// Watching is one-shot: after a descriptor has been reported, it must be watched again.
final class Poller {
  enum Interest {
    case reading
    case writing
    /// Wait until the peer closes its sending side.
    case hangUp
  }

  #if os(Linux)
    private let epoll: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    /// Interest in each descriptor by its number. The inner value is `nil` after the descriptor has been reported, when
    /// it is no longer being watched.
    private var known: [UInt64: Interest?] = [:]

    init() throws(HTTPTransportError) {
      epoll = epoll_create1(0)
      guard epoll >= 0 else { throw .system(operation: "epoll_create1", code: errno) }
      _ = fcntl(epoll, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(epoll) }

    /// Watches a descriptor, or stops watching it if `interest` is `nil`.
    func watch(_ descriptor: Int32, number: UInt64, for interest: Interest?) {
      let present = known[number]
      if case .some(let watched) = present, watched == interest { return }
      // An unwatched descriptor that stays registered would still report errors.
      guard let interest else { return forget(descriptor, number: number) }
      var event = epoll_event()
      event.data.u64 = number
      event.events = EPOLLONESHOT.rawValue
      switch interest {
      case .reading: event.events |= EPOLLIN.rawValue
      case .writing: event.events |= EPOLLOUT.rawValue
      case .hangUp: event.events |= EPOLLRDHUP.rawValue
      }
      epoll_ctl(epoll, present == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
      known[number] = .some(interest)
    }

    /// Must be called before the descriptor is closed.
    func forget(_ descriptor: Int32, number: UInt64) {
      guard known.removeValue(forKey: number) != nil else { return }
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Waits for at most `milliseconds`, or indefinitely for -1.
    func wait(atMost milliseconds: Int32) -> [UInt64] {
      let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds)
      guard count > 0 else { return [] }
      let ready = events[..<Int(count)].map(\.data.u64)
      for number in ready { known[number] = .some(nil) }
      return ready
    }
  #else
    private var watched: [UInt64: pollfd] = [:]

    init() throws(HTTPTransportError) {}

    func watch(_ descriptor: Int32, number: UInt64, for interest: Interest?) {
      let events: Int16
      switch interest {
      case .reading: events = Int16(POLLIN)
      case .writing: events = Int16(POLLOUT)
      case .hangUp: events = Int16(POLLHUP)
      case nil: return forget(descriptor, number: number)
      }
      watched[number] = pollfd(fd: descriptor, events: events, revents: 0)
    }

    func forget(_ descriptor: Int32, number: UInt64) { watched[number] = nil }

    func wait(atMost milliseconds: Int32) -> [UInt64] {
      let numbers = watched.keys.sorted()
      var descriptors = numbers.compactMap { watched[$0] }
      guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return [] }
      let ready = numbers.indices.filter { descriptors[$0].revents != 0 }.map { numbers[$0] }
      for number in ready { watched[number] = nil }
      return ready
    }
  #endif
}
