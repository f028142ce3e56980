import Dispatch
import Foundation
import Synchronization
import TrendyModels

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries requests over one `URLSession`; the only place that knows of it.
///
/// Answers come through the session's delegate into a stream for each request. `URLSession`'s own asynchronous methods are
/// not used: on Linux they never return when their task is cancelled (Swift 6.3.1), and `bytes(for:)` does not exist there.
final class URLSessionTransport: Sendable {
  private let session: URLSession
  private let delegate: SessionDelegate
  private let proxies: ProxyEnvironment

  /// - Parameter environment: where the proxy variables stand that `URLSession` obeys; `nil` for the process's own.
  init(environment: [String: String]? = nil) {
    #if canImport(FoundationNetworking)
      proxies = ProxyEnvironment(environment ?? ProcessInfo.processInfo.environment)
    #else
      // Elsewhere the system's settings count, and they leave this machine's own names alone.
      proxies = ProxyEnvironment(environment ?? [:])
    #endif
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // The deadline is kept by the client, on its own clock. Whatever URLSession counts itself must never be shorter.
    configuration.timeoutIntervalForRequest = 86_400
    configuration.timeoutIntervalForResource = 7 * 86_400
    delegate = SessionDelegate()
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    // The session holds its delegate until it is told to let go. Off this thread: see `cancelElsewhere`.
    let session = session
    DispatchQueue.global().async { session.invalidateAndCancel() }
  }

  /// Sends the request and gives its answer as it comes. Whoever stops reading, by leaving or by being cancelled, ends it.
  /// - Parameter bodyLimit: bytes of body after which the answer is refused; `nil` where the reader keeps nothing whole.
  /// - Throws: from the stream, ``TrendyModels/APIError``: `networkError`, or `decodingError` for a body over the limit.
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

/// Cancelling may wait for a queue that waits for the caller (Linux, Swift 6.3.1), hence from another one.
private func cancelElsewhere(_ task: URLSessionTask) {
  DispatchQueue.global().async { task.cancel() }
}

/// One request under way.
private struct Exchange: Sendable {
  let continuation: AsyncThrowingStream<ResponsePart, any Error>.Continuation
  let address: HubAddress
  let bodyLimit: Int?
  var head: HTTPHead?
  var bodyBytes = 0
}

/// Sorts what the session reports to the request it belongs to.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func register(_ exchange: Exchange, for task: Int) {
    exchanges.withLock { $0[task] = exchange }
  }

  /// Whether it was still under way.
  func forget(_ task: Int) -> Bool {
    exchanges.withLock { $0.removeValue(forKey: task) } != nil
  }

  // A redirect is an answer like others: followed, it would carry the token to where nobody meant it to go, and make a GET of a POST.
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

  // A 401 is an answer like others too: nobody is there to be asked for a password. Only a server's certificate is judged.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Here certificates never come this way, the answer has been read to its end, and no disposition would report it.
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
        throwing: APIError.decodingError("\(exchange.address.name) answered more than \(limit) bytes"))
    } else {
      exchange.continuation.yield(.data(data))
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // On Linux a redirect that leads nowhere ends without having reported its response.
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

  /// Once for each request.
  private func report(_ response: URLResponse, of task: Int) {
    guard let response = response as? HTTPURLResponse else { return }
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      fields["\(name)".lowercased()] = "\(value)"
    }
    // On Linux the head of an answer is reported after that of each interim one (100 Continue, 103 Early Hints).
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
    .networkError("the connection to \(address.name) was cut off in the middle of the answer")
  }

  /// What a failed transfer means to a person.
  fileprivate init(_ error: any Error, at address: HubAddress) {
    guard let error = error as? URLError else {
      self = .networkError("\(address.name): \(error.localizedDescription)")
      return
    }
    switch error.code {
    case .cannotConnectToHost:
      self = .networkError("nothing listens at \(address.name)")
    case .cannotFindHost, .dnsLookupFailed:
      self = .networkError("unknown host \(address.name)")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      self = .networkError("no network to reach \(address.name)")
    case .timedOut:
      self = .networkError("\(address.name) timed out")
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
