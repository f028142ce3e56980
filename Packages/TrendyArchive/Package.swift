// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyArchive",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "TrendyArchive", targets: ["TrendyArchive"])],
  targets: [
    .target(name: "TrendyArchive", dependencies: ["CZlib"]),
    .testTarget(name: "TrendyArchiveTests", dependencies: ["TrendyArchive"]),
  ]
)

// Same in every manifest: upcoming features that Swift 7 will enable.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }

// System libraries have no Swift settings, so this target is added after the loop.
package.targets += [
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])])
]
