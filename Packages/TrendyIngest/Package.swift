// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyIngest",
  platforms: [.macOS(.v15)],
  products: [.library(name: "TrendyIngest", targets: ["TrendyIngest"])],
  dependencies: [
    .package(path: "../TrendyAgent"), .package(path: "../TrendyArchive"), .package(path: "../TrendyHub"),
    .package(path: "../TrendyInterchange"), .package(path: "../TrendyModels"), .package(path: "../TrendyPersistence"),
    .package(path: "../TrendyProtocols"), .package(path: "../TrendyTesting"), .package(path: "../TrendyTrips"),
  ],
  targets: [
    .target(
      name: "TrendyIngest",
      dependencies: [
        "TrendyAgent", "TrendyArchive", "TrendyHub", "TrendyInterchange", "TrendyModels", "TrendyPersistence",
        "TrendyProtocols", "TrendyTrips",
      ]),
    .testTarget(
      name: "TrendyIngestTests",
      dependencies: [
        .product(name: "HubTesting", package: "TrendyHub"),
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyHub", "TrendyIngest", "TrendyModels",
        "TrendyPersistence", "TrendyTesting",
      ]),
  ]
)

// Upcoming features that Swift 7 will enable; the same list in every manifest.
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
