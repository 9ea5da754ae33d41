# The reviews of all products that a query selects are read with one statement: `input.keys` has their ids.
flow "reviews" {
  returns = "[review!]!"

  from {
    connector = "api"
    operation = "product.reviews"
    batch     = "id"
    match     = "product_id"
  }

  to {
    connector = "db"
    query     = "SELECT id, product_id, stars, text FROM reviews WHERE product_id IN (:keys) ORDER BY id"
  }
}

# Those who subscribe to a product hear of its new reviews.
flow "add_review" {
  returns = "review"

  from {
    connector = "api"
    operation = "Mutation.add_review"
  }

  validate {
    input = "new_review"
  }

  step "written" {
    connector = "db"
    query     = "INSERT INTO reviews (product_id, stars, text) VALUES (:product_id, :stars, :text) RETURNING id, product_id, stars, text"

    params = {
      product_id = "input.product_id"
      stars      = "input.stars"
      text       = "input.text ?? null"
    }
  }

  transform {
    id         = "step.written.id"
    product_id = "step.written.product_id"
    stars      = "step.written.stars"
    text       = "step.written.text"
  }

  to {
    connector = "api"
    operation = "Subscription.review_added"
    filter    = "string(context.connection_params.product) == string(input.product_id)"
  }

  response {
    id         = "step.written.id"
    product_id = "step.written.product_id"
    stars      = "step.written.stars"
    text       = "step.written.text"
  }
}
