import Dispatch
import Foundation
import Synchronization
import TrendyModels

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Transport for all requests, based on `URLSession`.
///
/// The session's delegate feeds one stream per request. `URLSession`'s asynchronous methods are not used: on Linux they
/// never return after a cancellation (Swift 6.3.1), and `bytes(for:)` does not exist.
final class URLSessionTransport: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate
  private let proxies: ProxyEnvironment

  /// Creates a transport with a separate session.
  ///
  /// - Parameter environment: proxy variables, or `nil` to use those of the process.
  init(environment: [String: String]? = nil) {
    #if canImport(FoundationNetworking)
      proxies = ProxyEnvironment(environment ?? ProcessInfo.processInfo.environment)
    #else
      // On other platforms `URLSession` uses the system settings, which exclude this machine.
      proxies = ProxyEnvironment(environment ?? [:])
    #endif
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // `APIClient` enforces the deadline with its own clock, so the timeouts of `URLSession` must not be shorter.
    configuration.timeoutIntervalForRequest = 86_400
    configuration.timeoutIntervalForResource = 7 * 86_400
    delegate = SessionDelegate()
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    // The session retains its delegate until it is invalidated. Invalidate it on another queue, as in
    // `cancelElsewhere`.
    let session = session
    DispatchQueue.global().async { session.invalidateAndCancel() }
  }

  /// Sends a request and returns its response as a stream. The request ends when the reader stops or is cancelled.
  /// - Parameter bodyLimit: maximum size of the body in bytes, or `nil` for no limit.
  /// - Throws: the stream throws ``TrendyModels/APIError``: `networkError`, `timedOut`, or `decodingError` for a body
  ///   over the limit.
  func open(_ request: HTTPRequest, at address: HubAddress, bodyLimit: Int?) -> AsyncThrowingStream<
    ResponsePart, any Error
  > {
    AsyncThrowingStream { continuation in
      guard let url = URL(string: address.url.absoluteString + request.target) else {
        continuation.finish(throwing: APIError.networkError("\(address.name)\(request.path) is not a URL"))
        return
      }
      if let host = address.clearTextHost, let variable = proxies.variable(for: host) {
        continuation.finish(
          throwing: APIError.networkError(
            "\(variable) would carry the token for \(address.name) to a proxy in clear text: add \(host) to no_proxy"))
        return
      }
      var message = URLRequest(url: url)
      message.httpMethod = request.method.rawValue
      for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
      message.httpBody = request.body
      let task = session.dataTask(with: message)
      delegate.register(
        Exchange(continuation: continuation, address: address, bodyLimit: bodyLimit), for: task.taskIdentifier)
      continuation.onTermination = { [delegate] _ in
        if delegate.forget(task.taskIdentifier) { cancelElsewhere(task) }
      }
      task.resume()
    }
  }
}

/// Cancels on another queue. On Linux, cancelling may block on a queue that is itself blocked by the caller (Swift
/// 6.3.1).
private func cancelElsewhere(_ task: URLSessionTask) {
  DispatchQueue.global().async { task.cancel() }
}

private struct Exchange: Sendable {
  let continuation: AsyncThrowingStream<ResponsePart, any Error>.Continuation
  let address: HubAddress
  let bodyLimit: Int?
  var head: HTTPHead?
  var bodyBytes = 0
}

/// Session delegate that forwards each callback to the stream for its request.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func register(_ exchange: Exchange, for task: Int) {
    exchanges.withLock { $0[task] = exchange }
  }

  /// Returns whether the request was still in progress.
  func forget(_ task: Int) -> Bool {
    exchanges.withLock { $0.removeValue(forKey: task) } != nil
  }

  // Return redirects as responses. Following a redirect could send the token to another host, and turns a POST into a
  // GET.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    report(response, of: dataTask.taskIdentifier)
    completionHandler(.allow)
  }

  // Return a 401 as a response, because there is no user to ask for a password. Only server certificates are checked.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Linux does not report certificates here. The response has arrived completely, but no disposition would complete
      // the task, so finish the stream here.
      exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.continuation.finish()
      cancelElsewhere(task)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let task = dataTask.taskIdentifier
    let exchange = exchanges.withLock { exchanges -> Exchange? in
      exchanges[task]?.bodyBytes += data.count
      return exchanges[task]
    }
    guard let exchange else { return }
    if let limit = exchange.bodyLimit, exchange.bodyBytes > limit {
      _ = forget(task)
      cancelElsewhere(dataTask)
      exchange.continuation.finish(
        throwing: APIError.decodingError("\(exchange.address.name) sent a response of more than \(limit) bytes"))
    } else {
      exchange.continuation.yield(.data(data))
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // On Linux, a redirect without a target completes without reporting its response.
    if error == nil, let response = task.response { report(response, of: task.taskIdentifier) }
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      exchange.continuation.finish(throwing: APIError(error, at: exchange.address))
    } else if let head = exchange.head, let length = head.bodyLength, length > exchange.bodyBytes, head.status != 304 {
      exchange.continuation.finish(throwing: APIError.cutOff(exchange.address))
    } else {
      exchange.continuation.finish()
    }
  }

  /// Yields the head of a response, once per request.
  private func report(_ response: URLResponse, of task: Int) {
    guard let response = response as? HTTPURLResponse else { return }
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      fields["\(name)".lowercased()] = "\(value)"
    }
    // On Linux, interim responses (100 Continue, 103 Early Hints) are reported before the final response.
    guard response.statusCode >= 200 else { return }
    let head = HTTPHead(status: response.statusCode, fields: fields)
    let continuation = exchanges.withLock {
      exchanges -> AsyncThrowingStream<ResponsePart, any Error>.Continuation? in
      guard exchanges[task]?.head == nil else { return nil }
      exchanges[task]?.head = head
      return exchanges[task]?.continuation
    }
    continuation?.yield(.head(head))
  }
}

extension APIError {
  static func cutOff(_ address: HubAddress) -> APIError {
    .networkError("the connection to \(address.name) was cut off before the end of the response")
  }

  /// Describes a failed transfer for the user.
  fileprivate init(_ error: any Error, at address: HubAddress) {
    guard let error = error as? URLError else {
      self = .networkError("\(address.name): \(error.localizedDescription)")
      return
    }
    switch error.code {
    case .cannotConnectToHost:
      self = .networkError("no server is listening at \(address.name)")
    case .cannotFindHost, .dnsLookupFailed:
      self = .networkError("unknown host \(address.name)")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      self = .networkError("no network connection to reach \(address.name)")
    case .timedOut:
      self = .timedOut("\(address.name) timed out")
    case .networkConnectionLost:
      self = .cutOff(address)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .networkError("no secure connection to \(address.name): \(error.localizedDescription)")
    default:
      self = .networkError("\(address.name): \(error.localizedDescription)")
    }
  }
}
